/**
 * The same response; `done` is called once, when all of it is sent or nobody wants the rest. A stream whose client has gone ends at
 * once, and not with the next thing that would be sent.
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
