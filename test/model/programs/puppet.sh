#!/bin/sh
# Does what the lines on its stdin say, and puts SIGTERM off: it only leaves a mark, $1.termed.
# Beside it runs a child that does not obey SIGTERM at all; its pid is in $1.child. With $2 "holding" it has the output.
trap 'interrupted=yes; : > "$1.termed"' TERM
child='trap "" TERM; echo $$ > "$0"; exec sleep 60'
if test "$2" = holding; then
  sh -c "$child" "$1.child" &
else
  sh -c "$child" "$1.child" > /dev/null 2>&1 &
fi
while :; do
  interrupted=
  if read -r order; then eval "$order"; elif test -z "$interrupted"; then exit; fi
done
