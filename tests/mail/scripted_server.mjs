// A server for what smtp-server can't be made to do: refuse EHLO, STARTTLS or DATA, talk over the
// handshake, go away at any point. It tells every command that it hears.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { read_message } from './received.mjs';

class Dialogue {
    constructor(socket, settings, behaviour, tell) {
        Object.assign(this, { settings, behaviour, tell, secure: false, user: '' });
        this.forget();
        this.listen_to(socket);
        this.answer('greeting', '220 scripted ESMTP');
    }

    forget() {
        this.envelope = { from: '', parameters: {}, to: [] };
        this.in_body = false;
        this.pending = Buffer.alloc(0);
    }

    listen_to(socket) {
        this.socket = socket;
        socket.on('data', (bytes) => this.take(bytes));
        socket.on('error', () => {}); // told by `close`
        socket.on('close', () => this.tell({ event: 'closed' }));
    }

    say(text) {
        this.socket.write(text + '\r\n');
    }

    /// Answers as told, or by `usual`; true where that was said.
    answer(stage, usual, address) {
        const action = this.behaviour.at(stage, address);
        if (action === 'drop') {
            this.socket.destroy();
        } else if (action === 'hang') {
            this.tell({ event: 'hanging', stage });
        } else {
            this.say(action === 'yes' ? usual : action);
        }
        return action === 'yes';
    }

    take(bytes) {
        this.pending = Buffer.concat([this.pending, bytes]);
        for (;;) {
            const end = this.pending.indexOf(this.in_body ? '\r\n.\r\n' : '\r\n');
            if (this.in_body && this.behaviour.at('body') === 'drop') {
                this.socket.destroy();
                return;
            }
            if (end < 0) {
                return;
            }
            const piece = this.pending.subarray(0, end);
            this.pending = this.pending.subarray(end + (this.in_body ? 5 : 2));
            if (this.in_body) {
                this.take_message(Buffer.concat([piece, Buffer.from('\r\n')]));
            } else {
                this.take_command(piece.toString());
            }
        }
    }

    take_command(line) {
        const verb = line.split(' ')[0].toUpperCase();
        this.tell({ event: 'command', verb, line: verb === 'AUTH' ? 'AUTH' : line, secure: this.secure });
        const address = line.match(/<(.*?)>/)?.[1] ?? '';
        if (verb === 'EHLO') {
            const offers = ['scripted', ...(this.behaviour.utf8 ? ['SMTPUTF8'] : []), `SIZE ${this.settings.size ?? 0}`];
            if (this.settings.tls === 'starttls' && !this.secure) {
                offers.push('STARTTLS');
            }
            if (this.settings.users) {
                offers.push('AUTH PLAIN LOGIN');
            }
            this.answer('ehlo', offers.map((offer, i) => `250${i + 1 < offers.length ? '-' : ' '}${offer}`).join('\r\n'));
        } else if (verb === 'HELO') {
            this.answer('ehlo', '250 scripted');
        } else if (verb === 'STARTTLS') {
            if (this.answer('starttls', `220 go ahead${this.behaviour.inject && '\r\n' + this.behaviour.inject}`)) {
                this.start_tls();
            }
        } else if (verb === 'AUTH') {
            this.answer('auth', '235 welcome');
        } else if (verb === 'MAIL') {
            if (this.answer('mail', '250 sender')) {
                this.envelope.from = address;
            }
        } else if (verb === 'RCPT') {
            if (this.answer('rcpt', '250 recipient', address)) {
                this.envelope.to.push(address);
            }
        } else if (verb === 'DATA') {
            this.in_body = this.answer('data', '354 go on');
        } else if (verb === 'RSET') {
            this.forget();
            this.say('250 forgotten');
        } else if (verb === 'QUIT') {
            this.socket.end('221 bye\r\n');
        } else {
            this.say('502 not known');
        }
    }

    take_message(stuffed) {
        const bytes = Buffer.from(stuffed.toString('latin1').replace(/^\.|(?<=\r\n)\./g, ''), 'latin1');
        const envelope = { ...this.envelope, secure: this.secure, user: this.user };
        this.forget();
        this.tell({ event: 'arrived' });
        if (this.answer('dot', '250 taken')) {
            read_message(bytes, envelope, this.behaviour).then(this.tell);
        }
    }

    start_tls() {
        const plain = this.socket;
        plain.removeAllListeners('data');
        plain.removeAllListeners('close');
        this.secure = true;
        this.forget();
        this.listen_to(new TLSSocket(plain, {
            isServer: true,
            key: readFileSync(this.settings.key),
            cert: readFileSync(this.settings.cert),
        }));
    }
}

export function start_scripted_server(settings, behaviour, tell) {
    const server = createServer((socket) => {
        tell({ event: 'connection' });
        new Dialogue(socket, settings, behaviour, tell);
    });
    server.listen(settings.port ?? 0, '127.0.0.1', () => tell({ event: 'listening', port: server.address().port }));
}
