# Tries to get out of a sandbox, and whether work can be done in it: says what goes through that should not, and what
# does not that should, and `done`. $W: a folder with project, hidden and outside. $PORT: somebody listens there.
# $SOCKET: and there. $PID: a process outside. What succeeds here succeeds for every command.
try() { { eval "$1"; } >/dev/null 2>&1; }
must() { try "$1" || echo "$2"; }
must_not() { try "$1" && echo "$2"; }
cd "$W/project" || exit 1

must 'echo x >mine && [ "$(cat mine)" = x ] && mkdir -p a/b && mv mine a/b && rm -r a' 'The project can not be written.'
must 'echo x >"$TMPDIR/mine"' 'The temporary folder can not be written.'
must 'cat "$W/outside/file" /etc/hosts && ls "$W/outside" && /bin/ls /usr' 'Files outside can not be read.'
must 'echo x >.git/index.lock && mv .git/index.lock .git/index && mkdir -p .git/refs/heads' 'Git can not work.'
must 'echo x | cat && sh -c "sleep 60 & kill \$!"' 'Programs can not be run.'

must_not 'cat "$W/hidden/secret"' 'A hidden file can be read.'
must_not 'ls "$W/hidden" | grep secret' 'A hidden folder can be listed.'
must_not 'ln -s "$W/hidden" to-hidden && cat to-hidden/secret' 'A hidden file can be read by a link.'
must_not 'echo x >"$W/hidden/new"' 'A hidden folder can be written.'
must_not 'echo x >"$W/outside/file"' 'A file outside can be written.'
must_not 'echo x >"$W/outside/new"' 'A file can be made outside.'
must_not 'ln "$W/outside/file" hard && echo x >hard' 'A file outside can be written by a hard link.'
must_not 'ln -s "$W/outside" to-outside && echo x >to-outside/new' 'A file can be made outside by a link.'
must_not 'mv "$W/outside/file" stolen && mv stolen "$W/outside/file"' 'A file outside can be moved in.'
must_not 'echo x >>.git/config' 'The configuration of git can be written.'
must_not 'ln .git/config hard-config && echo x >>hard-config' 'The configuration of git can be written by a hard link.'
must_not 'mkdir -p .git/hooks && echo x >.git/hooks/pre-commit' 'A hook of git can be written.'
must_not 'mkdir .git/Hooks.d && mv .git/Hooks.d .git/more' 'Any folder can be made in .git.'
must_not 'mv .git moved && mv moved .git' 'The folder .git can be moved.'
must_not 'echo x >>.arki/config.json' 'The folder .arki can be written.'
must_not 'mv .arki moved && mv moved .arki' 'The folder .arki can be moved.'
must_not 'mv "$W/project" "$W/moved" && mv "$W/moved" "$W/project"' 'The project can be moved.'
must_not '/bin/bash -c ": </dev/tcp/127.0.0.1/$PORT"' 'The network can be reached.'
connect='socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un($ARGV[0])) or exit 1'
must_not 'nc -w 1 -U "$SOCKET" </dev/null || perl -MSocket -e "$connect" "$SOCKET"' 'A socket outside can be reached.'
must_not 'kill -TERM "$PID"' 'A process outside can be ended.'
echo done
