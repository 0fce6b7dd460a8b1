// A message as a mail reader sees it, for the tests to compare.
import { simpleParser } from 'mailparser';

const addresses = (field) =>
    [field ?? []].flat().flatMap((list) => list.value.map(({ name, address }) => ({ name, address })));

export async function read_message(bytes, envelope, behaviour) {
    const mail = await simpleParser(bytes, { skipImageLinks: true, skipTextToHtml: true, skipTextLinks: true });
    return {
        event: 'message',
        envelope,
        from: addresses(mail.from),
        to: addresses(mail.to),
        cc: addresses(mail.cc),
        bcc: addresses(mail.bcc),
        reply_to: addresses(mail.replyTo),
        subject: mail.subject ?? '',
        date: mail.date?.toISOString() ?? '',
        message_id: mail.messageId ?? '',
        text: mail.text ?? '',
        html: mail.html || '',
        attachments: mail.attachments.map((part) => ({
            file_name: part.filename ?? '',
            content_type: part.contentType,
            disposition: part.contentDisposition ?? '',
            content: part.content.toString('base64'),
        })),
        header_lines: mail.headerLines.map(({ line }) => line),
        longest_line: bytes.toString('latin1').split('\r\n').reduce((most, line) => Math.max(most, line.length), 0),
        size: bytes.length,
        ...(behaviour.raw && { raw: bytes.toString('base64') }),
    };
}
