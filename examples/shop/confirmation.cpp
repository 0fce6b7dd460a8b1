#include "shop/confirmation.hpp"

namespace shop {

// A PDF of one page with one line of text (ISO 32000-1, 7.5): objects, the table of their places,
// and where that stands.
const char* const confirmation_sql = R"sql(
create or replace function order_pdf(line text) returns bytea language plpgsql immutable as $$
declare
    shown   text := replace(replace(replace(line, '\', '\\'), '(', '\('), ')', '\)');
    page    text := format('BT /F1 18 Tf 72 760 Td (%s) Tj ET', shown);
    objects text[] := array[
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R'
            ' /Resources << /Font << /F1 5 0 R >> >> >>',
        format(E'<< /Length %s >>\nstream\n%s\nendstream', length(page), page),
        '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'];
    file    text := E'%PDF-1.4\n';
    places  text := E'0000000000 65535 f \n';
begin
    for i in 1..array_length(objects, 1) loop
        places := places || lpad(length(file)::text, 10, '0') || E' 00000 n \n';
        file := file || format(E'%s 0 obj\n%s\nendobj\n', i, objects[i]);
    end loop;
    return convert_to(
        file || format(E'xref\n0 %1$s\n%2$strailer\n<< /Size %1$s /Root 1 0 R >>\nstartxref\n%3$s\n%%%%EOF\n',
                       array_length(objects, 1) + 1, places, length(file)), 'SQL_ASCII');
end
$$;

create or replace function order_confirmation(order_id bigint) returns jsonb language sql stable as $$
    select jsonb_build_object(
        'to', jsonb_build_array(format('customer-of-order-%s@customers.example', o.id)),
        'subject', format('Your order %s is confirmed', o.id),
        'text', format(E'Thank you. Your order %s over %s USD is confirmed and on its way.\n', o.id, o.total_amount),
        'documentType', 'order-confirmation',
        'correlationId', format('order-%s', o.id),
        'idempotencyKey', format('order-%s-confirmation', o.id),
        'attachments', jsonb_build_array(jsonb_build_object(
            'fileName', format('order-%s.pdf', o.id),
            'contentType', 'application/pdf',
            'content', encode(order_pdf(format('Order %s: %s USD', o.id, o.total_amount)), 'base64'))))
    from orders o
    where o.id = $1
$$;
)sql";

} // namespace shop
