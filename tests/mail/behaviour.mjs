// What the server is to say at each stage: `greeting`, `ehlo`, `starttls`, `auth`, `mail`, `rcpt`,
// `data`, `body` and `dot`.
//
// A stage's entry is a reply ("451 4.7.1 later"), "yes", "drop" (the connection is reset), or "hang"
// (no answer ever); or a list of those, of which each is used once and the last from then on. `rcpt`
// holds an object of such entries by address, and "*" for all others.
export class Behaviour {
    constructor(settings) {
        this.change(settings);
    }

    change(settings) {
        this.replies = settings.replies ?? {};
        this.raw = settings.raw ?? false;
        this.utf8 = settings.utf8 ?? true;
        this.inject = settings.inject ?? ''; // sent in plain, right behind the answer to STARTTLS
        this.used = new Map();
    }

    at(stage, address) {
        let entry = this.replies[stage];
        let key = stage;
        if (stage === 'rcpt' && entry) {
            const name = address in entry ? address : '*';
            entry = entry[name];
            key = `rcpt ${name}`;
        }
        if (!Array.isArray(entry)) {
            return entry ?? 'yes';
        }
        const used = this.used.get(key) ?? 0;
        this.used.set(key, used + 1);
        return entry[Math.min(used, entry.length - 1)];
    }
}
