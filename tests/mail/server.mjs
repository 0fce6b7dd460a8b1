// An SMTP server for tests, whose behaviour is chosen by JSON: the first from the command line, later
// ones as lines on standard input. What happens outside is told as JSON lines on standard output. It
// ends with its standard input, so that it never outlives its test.
//
//   kind     "proper" (smtp-server, as a provider behaves) or "scripted" (see scripted_server.mjs)
//   tls      "none", "starttls" or "implicit"; with `key` and `cert`, paths of PEM files
//   users    {name: password}: who has to sign in; none: nobody has to
//   size     the largest message, as SIZE tells it; 0: no limit
//   utf8     whether SMTPUTF8 is offered (true)
//   raw      whether messages are told byte for byte too (false)
//   replies  what is said at a stage instead of yes; see behaviour.mjs
//   port     where it listens on 127.0.0.1 (any free one)
//
// An empty line asks for a sign that everything before it has been told: `asked`.
//
// `kind`, `tls`, `key`, `cert`, `users`, `size` and `port` are fixed by the first one.
import { createInterface } from 'node:readline';
import { Behaviour } from './behaviour.mjs';
import { start_proper_server } from './proper_server.mjs';
import { start_scripted_server } from './scripted_server.mjs';

const tell = (event) => process.stdout.write(JSON.stringify(event) + '\n');

const settings = JSON.parse(process.argv[2] ?? '{}');
const behaviour = new Behaviour(settings);
const start = settings.kind === 'scripted' ? start_scripted_server : start_proper_server;
start(settings, behaviour, tell);

const control = createInterface({ input: process.stdin });
control.on('line', (line) => {
    if (line === '') {
        tell({ event: 'asked' });
        return;
    }
    behaviour.change(JSON.parse(line));
    tell({ event: 'configured' });
});
control.on('close', () => process.exit(0));
