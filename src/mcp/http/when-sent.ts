/**
 * Returns the same response; `done` is called once, when all of it is sent or the client is gone. The stream of a client that is gone ends
 * at once, not with the next write.
 */
export function whenSent(
  response: Response,
  { signal, done }: { signal: AbortSignal; done: () => void },
): Response {
  if (response.body === null) {
    done();
    return response;
  }
  const { readable, writable } = new TransformStream();
  void response.body.pipeTo(writable, { signal }).then(done, done);
  return new Response(readable, response);
}
