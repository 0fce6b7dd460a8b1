// A server as providers run one: smtp-server, told at each stage what to answer.
import { readFileSync } from 'node:fs';
import { SMTPServer } from 'smtp-server';
import { read_message } from './received.mjs';

function refusal(reply) {
    const error = new Error(reply.slice(4));
    error.responseCode = Number(reply.slice(0, 3));
    return error;
}

export function start_proper_server(settings, behaviour, tell) {
    const users = settings.users ?? {};
    const must_sign_in = Object.keys(users).length > 0;
    const tls = settings.tls ?? 'none';

    const answer = (stage, session, callback, value, address) => {
        const action = behaviour.at(stage, address);
        if (action === 'drop') {
            [...server.connections].find(({ id }) => id === session.id)?._socket.destroy();
        } else if (action === 'yes') {
            callback(null, value);
        } else if (action !== 'hang') {
            callback(refusal(action));
        }
    };

    const server = new SMTPServer({
        ...(tls !== 'none' && { key: readFileSync(settings.key), cert: readFileSync(settings.cert) }),
        secure: tls === 'implicit',
        disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(must_sign_in ? [] : ['AUTH'])],
        hideSTARTTLS: tls !== 'starttls',
        get hideSMTPUTF8() {
            return !behaviour.utf8;
        },
        size: settings.size ?? 0,
        allowInsecureAuth: true,
        authOptional: !must_sign_in,
        disableReverseLookup: true,
        logger: false,
        onConnect(session, callback) {
            tell({ event: 'connection' });
            answer('greeting', session, callback);
        },
        onClose() {
            tell({ event: 'closed' });
        },
        onAuth({ username, password }, session, callback) {
            tell({ event: 'sign_in', user: username, secure: session.secure });
            const right = Object.hasOwn(users, username) && users[username] === password;
            answer('auth', session, (error, value) => {
                const refused = error ?? (right ? null : refusal('535 5.7.8 wrong user or password'));
                callback(refused, value);
            }, { user: username });
        },
        onMailFrom(address, session, callback) {
            answer('mail', session, callback);
        },
        onRcptTo({ address }, session, callback) {
            answer('rcpt', session, callback, undefined, address);
        },
        onData(stream, session, callback) {
            const chunks = [];
            stream.on('data', (chunk) => chunks.push(chunk));
            stream.on('end', async () => {
                const { mailFrom, rcptTo } = session.envelope;
                const action = stream.sizeExceeded ? '552 5.3.4 too big' : behaviour.at('dot');
                if (action === 'yes') {
                    tell(await read_message(Buffer.concat(chunks), {
                        from: mailFrom.address,
                        parameters: mailFrom.args || {},
                        to: rcptTo.map(({ address }) => address),
                        secure: session.secure,
                        user: session.user ?? '',
                    }, behaviour));
                } else {
                    tell({ event: 'unanswered' });
                }
                if (action === 'drop') {
                    [...server.connections].find(({ id }) => id === session.id)?._socket.destroy();
                } else if (action !== 'hang') {
                    callback(action === 'yes' ? null : refusal(action), '2.0.0 taken');
                }
            });
        },
    });
    server.on('error', (error) => tell({ event: 'error', text: error.message }));
    server.listen(settings.port ?? 0, '127.0.0.1', () => tell({ event: 'listening', port: server.server.address().port }));
}
