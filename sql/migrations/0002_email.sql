-- E-mail: messages as they were accepted, what intake accepts, and what people are told of each.
--
-- A message belongs to one event, and its status follows that event within the same transaction. Ordinary events
-- pay for this with a look at a key or a null column, and with no index.

-- What intake accepts: published by a relay when it starts, since events come in here, by applications that know
-- no configuration.
create table email_rules (
    only_row             bool primary key default true
        constraint there_is_one_row_of_rules check (only_row),
    sender               text not null,
    document_types       text[] not null,
    attachment_types     text[] not null,
    max_attachments      int not null,
    max_attachment_bytes bigint not null,
    max_total_bytes      bigint not null,
    max_recipients       int not null
        constraint a_message_may_have_a_recipient check (max_recipients > 0),
    published_at         timestamptz not null default now()
);

create table email_messages (
    id              bigserial primary key,
    -- Null only until an event takes it.
    event_id        bigint,
    message_id      text not null,
    correlation_id  text not null,
    document_type   text not null,
    idempotency_key text,
    received_at     timestamptz not null default now(),
    to_addresses    text[] not null
        constraint a_message_has_a_recipient check (cardinality(to_addresses) > 0),
    cc_addresses    text[] not null default '{}',
    bcc_addresses   text[] not null default '{}',
    reply_to        text,
    subject         text not null,
    text_body       text,
    html_body       text,
    status          text not null default 'NOT_YET_SENT'
        constraint a_message_has_a_known_status
        check (status in ('NOT_YET_SENT', 'IN_PROCESS', 'REQUIRED_RESEND', 'SUCCESS_SENT', 'FAILED_NOT_RETRYABLE',
                          'FAILED_RETRIES_EXHAUSTED')),
    attempts        int not null default 0,
    provider        text,
    last_error      text,
    next_try_at     timestamptz,
    ended_at        timestamptz,
    constraint a_message_says_something check (text_body is not null or html_body is not null),
    constraint a_message_has_an_end_once_it_is_sent_or_failed
        check ((ended_at is not null)
               = (status in ('SUCCESS_SENT', 'FAILED_NOT_RETRYABLE', 'FAILED_RETRIES_EXHAUSTED'))),
    constraint only_a_message_that_waits_has_a_next_try
        check (next_try_at is null or status in ('NOT_YET_SENT', 'REQUIRED_RESEND')),
    constraint a_sent_message_has_no_error check (status <> 'SUCCESS_SENT' or last_error is null),
    constraint no_header_holds_a_line_break_or_a_control_character
        check (concat_ws(' ', message_id, correlation_id, document_type, idempotency_key, reply_to, subject,
                         array_to_string(to_addresses, ' '), array_to_string(cc_addresses, ' '),
                         array_to_string(bcc_addresses, ' '))
               !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]')
) with (fillfactor = 70);

create unique index email_idempotency on email_messages (idempotency_key) where idempotency_key is not null;
create index email_by_status      on email_messages (status, id);
create index email_by_type        on email_messages (document_type, status, id);
create index email_by_correlation on email_messages (correlation_id, id);
create index email_ended          on email_messages (status, ended_at) where ended_at is not null;

-- Bare addresses in lower case, for those who ask what somebody was sent.
create table email_recipients (
    address    text,
    message_id bigint references email_messages on delete cascade,
    primary key (address, message_id)
);
create index email_recipients_of on email_recipients (message_id);

create table email_attachments (
    id           bigserial primary key,
    message_id   bigint not null references email_messages on delete cascade,
    position     int not null,
    file_name    text not null
        constraint a_file_name_is_no_path
        check (file_name <> '' and file_name !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029/\\]'),
    content_type text not null
        constraint a_content_type_is_one_word_with_a_slash check (content_type ~ '^[!-.0-~]+/[ !-.0-~]+$'),
    content      bytea not null,
    bytes        bigint generated always as (octet_length(content)) stored,
    constraint an_attachment_has_its_place unique (message_id, position)
);
-- Uncompressed, so that a piece is read without the rest; what is attached is compressed as a rule.
alter table email_attachments alter content set storage external;

-- A provider's breaker, shared by all relays: one that never failed has no row.
create table email_providers (
    name       text primary key,
    failures   int not null default 0,
    last_error text,
    open_until timestamptz,
    changed_at timestamptz not null default now()
);

-- How many messages have each status: what came and went, to be added up. Rows are only added, so that no two
-- transactions wait for each other; `email_fold_counts` makes few of many.
create table email_counts (
    status   text not null,
    messages bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

alter table outbox_events add column email_id bigint;

do $$
begin
    execute 'alter table email_messages alter text_body set compression lz4';
    execute 'alter table email_messages alter html_body set compression lz4';
exception when others then
    null;
end
$$;

-- The one choke point of everything that becomes a header, a parameter of one, or a word of an SMTP command.
create function email_header_fault(value jsonb, most int) returns text language plpgsql immutable as $$
declare
    content text := value #>> '{}';
begin
    return case
        when jsonb_typeof(value) <> 'string' then 'must be a string'
        when content = '' then 'must not be empty'
        when octet_length(content) > 4 * most or length(content) > most then
            format('must have at most %s characters', most)
        when content ~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]' then
            'must not hold line breaks or control characters'
    end;
end
$$;

-- The address in `Name <address>` and `"Name" <address>`, or the text itself; null where the name must be quoted.
create function email_bare_address(address text) returns text language sql immutable strict as $$
    select case
        when right(address, 1) = '>' then
            (regexp_match(address, '^(?:"(?:[^"\\]|\\.)*" *|[^]"<>@,;:\\()[]*)<(.*)>$'))[1]
        else address
    end
$$;

-- An address literal of RFC 5321 section 4.1.3, without its brackets.
create function email_is_literal(literal text) returns bool language sql immutable strict as $$
    with part (octet, v6) as (
        select '(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)',
               case when lower(left(literal, 5)) = 'ipv6:' then substr(literal, 6) end
    ),
    tail (v4, v6) as (
        -- An IPv4 address at the end stands for two groups.
        select '^' || octet || '(?:\.' || octet || '){3}$',
               regexp_replace(v6, '(^|:)' || octet || '(?:\.' || octet || '){3}$', '\10:0')
        from part
    )
    select case
        when v6 is null then literal ~ v4
        when v6 ~* '^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}$' then true
        -- `::` stands for two groups or more.
        when v6 ~* '^([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?::([0-9a-f]{1,4}(:[0-9a-f]{1,4})*)?$' then
            (select count(*) from regexp_split_to_table(v6, ':+') g where g <> '') <= 6
        else false
    end
    from tail
$$;

-- What is wrong with an address; null: nothing. The rule, after RFC 5321 (Mailbox) with RFC 6531 (UTF-8):
--
-- The local part is a dot-string or a quoted string of at most 64 octets; the domain is one or more labels of
-- letters, digits and inner hyphens, at most 63 octets each and 255 together, the last not all digits, or an
-- address literal, `[192.0.2.1]` or `[IPv6:2001:db8::1]`; together at most 254 octets. Letters may be of any script.
-- Refused is what only RFC 5322 has: comments, folding white space, quoted strings beside atoms, obsolete forms and
-- other domain literals. Nobody is asked whether a domain exists.
--
-- A display name may precede: `Name <address>`, in quotes where it holds any of "<>@,;:\()[].
create function email_address_fault(address text) returns text language plpgsql immutable strict
set search_path from current as $$
declare
    bare   text;
    parts  text[];
    atom   constant text := '[A-Za-z0-9!#$%&''*+/=?^_`{|}~\u0080-\U0010ffff-]+';
    letter constant text := 'A-Za-z0-9\u0080-\U0010ffff';
begin
    if octet_length(address) > 998 then
        return 'must have at most 998 octets with its name';
    end if;
    bare := email_bare_address(address);
    if bare is null then
        return 'must have its name in quotes: "Name" <address>';
    end if;
    if bare ~ '[\u0080-\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\uffff]' then
        return 'must not hold invisible characters in the address';
    end if;
    parts := regexp_match(bare, '^("(?:[^"\\]|\\.)*"|[^"@]*)@([^@]*)$');
    if parts is null then
        return 'is no address: one name, one @ and one domain are wanted';
    end if;
    return case
        when parts[1] = '' then 'has nothing before its @'
        when octet_length(parts[1]) > 64 then 'has more than 64 octets before its @'
        when left(parts[1], 1) = '"' and parts[1] !~ '^"(?:[] !#-[^-~\u0080-\U0010ffff]|\\[ -~])*"$' then
            'holds something in its quoted part that may not stand there'
        when left(parts[1], 1) <> '"' and parts[1] !~ ('^' || atom || '(?:\.' || atom || ')*$') then
            'holds something before its @ that must be quoted, or a dot too many'
        when parts[2] = '' then 'has nothing behind its @'
        when left(parts[2], 1) = '[' then
            case when right(parts[2], 1) <> ']' or octet_length(parts[2]) > 60
                      or not email_is_literal(substr(parts[2], 2, length(parts[2]) - 2)) then
                'has brackets behind its @ that hold no IP address as RFC 5321 writes it'
            end
        when octet_length(parts[2]) > 255 or octet_length(bare) > 254 then
            'is too long: 255 octets for the domain, 254 for the whole'
        when parts[2] !~ ('^[' || letter || '](?:[' || letter || '-]*[' || letter || '])?(?:\.[' || letter || '](?:['
                          || letter || '-]*[' || letter || '])?)*$') then
            'has no domain behind its @: letters, digits, inner hyphens, single dots'
        when parts[2] ~ '(^|\.)[0-9]+$' then 'has a number where its top-level domain should be'
        when exists (select from regexp_split_to_table(parts[2], '\.') label where octet_length(label) > 63) then
            'has a label of more than 63 octets in its domain'
    end;
end
$$;

-- What bytes begin like: a media type, or the family `zip`, `ole` or `program`; null where they might be text or
-- anything else.
create function email_sniffed_type(content bytea) returns text language sql immutable strict as $$
    select case
        when starts like '255044462d%' then 'application/pdf'
        when starts like '89504e470d0a1a0a%' then 'image/png'
        when starts like 'ffd8ff%' then 'image/jpeg'
        when starts like '474946383761%' or starts like '474946383961%' then 'image/gif'
        when starts like '52494646________57454250%' then 'image/webp'
        when starts like '49492a00%' or starts like '4d4d002a%' then 'image/tiff'
        when starts like '7b5c727466%' then 'application/rtf'
        when starts like '1f8b%' then 'application/gzip'
        when starts like '504b0304%' or starts like '504b0506%' then 'zip'
        when starts like 'd0cf11e0a1b11ae1%' then 'ole'
        when starts like '4d5a%00%' or starts like '7f454c46%' or starts like 'cffaedfe%' or starts like 'cafebabe%' then
            'program'
    end
    from encode(substring(content from 1 for 64), 'hex') as starts
$$;

-- What speaks against bytes being of the type that they are declared as; null: nothing that we know of.
create function email_content_fault(content_type text, content bytea) returns text language plpgsql immutable strict
set search_path from current as $$
declare
    declared text := lower(split_part(content_type, ';', 1));
    sniffed  text := email_sniffed_type(content);
    begins   text;
begin
    declared := case declared when 'image/jpg' then 'image/jpeg' when 'image/pjpeg' then 'image/jpeg'
                              when 'text/rtf' then 'application/rtf' when 'application/x-pdf' then 'application/pdf'
                              when 'application/x-zip-compressed' then 'application/zip'
                              when 'application/x-gzip' then 'application/gzip' else declared end;
    if declared in ('application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/tiff',
                    'application/rtf', 'application/gzip') then
        if sniffed is distinct from declared then
            return format('does not begin like %s', declared);
        end if;
    elsif declared = 'application/zip' then
        if sniffed is distinct from 'zip' then
            return 'does not begin like a ZIP archive';
        end if;
    elsif declared like 'application/vnd.openxmlformats-officedocument.%'
          or declared like 'application/vnd.ms-%.macroenabled.12' then
        if sniffed is distinct from 'zip' or position('[Content_Types].xml'::bytea in content) = 0 then
            return 'is no Office document (ZIP with [Content_Types].xml)';
        end if;
    elsif declared like 'application/vnd.oasis.opendocument.%' or declared = 'application/epub+zip' then
        if sniffed is distinct from 'zip'
           or substring(content from 31 for 8 + octet_length(declared)) <> convert_to('mimetype' || declared, 'UTF8') then
            return 'is no document of its type (ZIP that begins with its mimetype)';
        end if;
    elsif declared in ('application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint') then
        if sniffed is distinct from 'ole' then
            return 'does not begin like an Office document of the years before 2007';
        end if;
    elsif declared like 'text/%' or declared like 'message/%' or declared like '%+xml' or declared like '%+json'
          or declared in ('application/json', 'application/xml') then
        if sniffed is not null then
            return format('is no text: it begins like %s', sniffed);
        end if;
        if position('\x00'::bytea in content) > 0 then
            return 'is no text: it holds a NUL byte';
        end if;
        -- The first character, behind a byte order mark and white space; one that is not ASCII reads as a backslash.
        begins := left(ltrim(encode(substring(content from 1 for 200), 'escape'), E' \t\r\n'), 24);
        begins := ltrim(case when left(begins, 12) = '\357\273\277' then substr(begins, 13) else begins end, E' \t\r\n');
        if (declared in ('application/xml', 'text/xml') or declared like '%+xml') and left(begins, 1) <> '<' then
            return 'does not begin like XML';
        end if;
        if (declared = 'application/json' or declared like '%+json') and begins !~ '^[[{"0-9tfn-]' then
            return 'does not begin like JSON';
        end if;
    elsif sniffed = 'program' then
        return 'begins like a program';
    end if;
    return null;
end
$$;

-- Faults of one attachment, and the bytes that it decodes to.
create function email_attachment_faults(place text, attachment jsonb, types text[], most bigint,
                                        out faults text[], out bytes bigint)
language plpgsql immutable set search_path from current as $$
declare
    found        text;
    encoded      text;
    decoded      bytea;
    content_type text := attachment ->> 'contentType';
    type_known   bool := false;
begin
    -- Pairs of field and fault.
    faults := '{}';
    bytes := 0;
    if jsonb_typeof(attachment) <> 'object' then
        faults := array[place, 'must be an object: fileName, contentType, content'];
        return;
    end if;
    for found in select key from jsonb_object_keys(attachment) key
                 where key not in ('fileName', 'contentType', 'content') order by key limit 5 loop
        faults := faults || array[place || '.' || email_shown_key(found), 'is unknown here'];
    end loop;

    found := case
        when coalesce(jsonb_typeof(attachment -> 'fileName'), 'null') = 'null' then 'is missing'
        else coalesce(email_header_fault(attachment -> 'fileName', 255),
                      case when attachment ->> 'fileName' ~ '[/\\]' or attachment ->> 'fileName' in ('.', '..') then
                          'must be a name without a path'
                      when attachment ->> 'fileName' ~ '[\u202a-\u202e\u2066-\u2069]' then
                          'must not hold characters that turn the direction of writing'
                      end)
    end;
    if found is not null then
        faults := faults || array[place || '.fileName', found];
    end if;

    found := case
        when coalesce(jsonb_typeof(attachment -> 'contentType'), 'null') = 'null' then 'is missing'
        else coalesce(email_header_fault(attachment -> 'contentType', 127),
                      case when content_type !~* '^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*(; ?charset=[a-z0-9_.:-]+)?$' then
                          'is no media type'
                      when not lower(split_part(content_type, ';', 1)) = any (types) then
                          case when cardinality(types) = 0 then 'is not allowed: no attachments are'
                          else format('is not allowed: %s', array_to_string(types, ', ')) end
                      end)
    end;
    if found is not null then
        faults := faults || array[place || '.contentType', found];
    else
        type_known := true;
    end if;

    found := case
        when coalesce(jsonb_typeof(attachment -> 'content'), 'null') = 'null' then 'is missing'
        when jsonb_typeof(attachment -> 'content') <> 'string' then 'must be a string: base64'
    end;
    if found is null then
        encoded := attachment ->> 'content';
        -- Line breaks after each 76 characters are common; beyond them, what is too long isn't decoded to be told so.
        if octet_length(encoded) / 11 * 8 > most + 100 then
            found := format('is too large: %s bytes are allowed', most);
            bytes := octet_length(encoded) / 11 * 8;
        else
            begin
                decoded := decode(encoded, 'base64');
                bytes := octet_length(decoded);
                if strpos(rtrim(encoded, E'= \t\r\n'), '=') > 0 then
                    -- PostgreSQL reads on behind an end.
                    found := 'is no base64';
                elsif bytes > most then
                    found := format('is too large: it has %s bytes, and %s are allowed', bytes, most);
                elsif type_known then
                    found := email_content_fault(content_type, decoded);
                end if;
            exception when invalid_parameter_value then
                found := 'is no base64';
            end;
        end if;
    end if;
    if found is not null then
        faults := faults || array[place || '.content', found];
    end if;
end
$$;

-- A key as a fault shows it: short, and with nothing in it that could break a line.
create function email_shown_key(key text) returns text language sql immutable strict as $$
    select regexp_replace(left(key, 60), '[\u0001-\u001f\u007f-\u009f\u2028\u2029]', '?', 'g')
$$;

-- Everything that is wrong with a message, in the order of its fields; no row: it is accepted. Looks at no more
-- recipients and attachments than are allowed, so that a hostile message costs no more than its own length.
create function email_faults(message jsonb) returns table (field text, fault text) language plpgsql stable
set search_path from current as $$
#variable_conflict use_variable
declare
    rules       record;
    list        jsonb;
    pairs       text[];
    recipients  int := 0;
    count       int;
    total       bigint := 0;
    bytes       bigint;
begin
    select r.document_types, r.attachment_types, r.max_attachments, r.max_attachment_bytes, r.max_total_bytes,
           r.max_recipients
    into rules
    from email_rules r;
    if not found then
        raise exception using
            errcode = 'object_not_in_prerequisite_state',
            message = 'e-mail is not configured in this database, since no relay with `email` in its configuration has '
                      || 'started on it: start one, or run `sagabox migrate -c FILE`';
    end if;
    if message is null or jsonb_typeof(message) <> 'object' then
        return query select '', 'must be a JSON object';
        return;
    end if;

    for field in select key from jsonb_object_keys(message) key
                 where key not in ('to', 'cc', 'bcc', 'replyTo', 'subject', 'text', 'html', 'documentType', 'attachments',
                                   'correlationId', 'idempotencyKey')
                 order by key limit 20 loop
        field := email_shown_key(field);
        fault := 'is unknown here';
        return next;
    end loop;
    -- A null is no more than a field that was left out.
    message := jsonb_strip_nulls(message - 'attachments')
               || case when coalesce(jsonb_typeof(message -> 'attachments'), 'null') = 'null' then '{}'
                  else jsonb_build_object('attachments', message -> 'attachments') end;

    for field in select unnest(array['to', 'cc', 'bcc']) loop
        list := case when jsonb_typeof(message -> field) = 'string' then jsonb_build_array(message -> field)
                else message -> field end;
        fault := case
            when list is null then case when field = 'to' then 'is missing' end
            when jsonb_typeof(list) <> 'array' then 'must be a list of addresses'
            when field = 'to' and jsonb_array_length(list) = 0 then 'must name somebody: an empty list is an error'
        end;
        if fault is not null then
            return next;
        end if;
        continue when list is null or fault is not null;
        count := jsonb_array_length(list);
        recipients := recipients + count;
        for at in 0 .. least(count, rules.max_recipients) - 1 loop
            fault := coalesce(email_header_fault(list -> at, 998), email_address_fault(list ->> at));
            if fault is not null then
                return query select format('%s[%s]', field, at), fault;
            end if;
        end loop;
    end loop;
    if recipients > rules.max_recipients then
        return query select 'to', format('are too many with cc and bcc: %s, and %s are allowed', recipients,
                                         rules.max_recipients);
    end if;

    field := 'replyTo';
    fault := coalesce(email_header_fault(message -> 'replyTo', 998), email_address_fault(message ->> 'replyTo'));
    if message ? 'replyTo' and fault is not null then
        return next;
    end if;

    field := 'subject';
    fault := case when message ? 'subject' then email_header_fault(message -> 'subject', 998) else 'is missing' end;
    if fault is not null then
        return next;
    end if;

    for field in select unnest(array['text', 'html']) loop
        if message ? field and jsonb_typeof(message -> field) <> 'string' then
            fault := 'must be a string';
            return next;
        end if;
        total := total + coalesce(octet_length(message ->> field), 0);
    end loop;
    if not message ?| array['text', 'html'] then
        return query select 'text', 'is missing, and so is html: one of them is wanted';
    end if;

    field := 'documentType';
    fault := case
        when not message ? 'documentType' then 'is missing'
        else coalesce(email_header_fault(message -> 'documentType', 100),
                      case when cardinality(rules.document_types) > 0
                                and not message ->> 'documentType' = any (rules.document_types) then
                          format('is not allowed: %s', array_to_string(rules.document_types, ', '))
                      end)
    end;
    if fault is not null then
        return next;
    end if;

    for field in select unnest(array['correlationId', 'idempotencyKey']) loop
        fault := email_header_fault(message -> field, 200);
        if message ? field and fault is not null then
            return next;
        end if;
    end loop;

    list := message -> 'attachments';
    if list is null then
        count := 0;
    elsif jsonb_typeof(list) <> 'array' then
        count := 0;
        return query select 'attachments', 'must be a list';
    else
        count := jsonb_array_length(list);
    end if;
    if count > rules.max_attachments then
        return query select 'attachments', format('are too many: %s, and %s are allowed', count, rules.max_attachments);
    end if;
    for at in 0 .. least(count, rules.max_attachments) - 1 loop
        select f.faults, f.bytes into pairs, bytes
        from email_attachment_faults(format('attachments[%s]', at), list -> at, rules.attachment_types,
                                     rules.max_attachment_bytes) f;
        total := total + bytes;
        for pair in 1 .. cardinality(pairs) / 2 loop
            return query select pairs[2 * pair - 1], pairs[2 * pair];
        end loop;
    end loop;
    if total > rules.max_total_bytes then
        return query select case when count > 0 then 'attachments' when message ? 'html' then 'html' else 'text' end,
                            format('are too large together: text, HTML and attachments have %s bytes, and %s are allowed',
                                   total, rules.max_total_bytes);
    end if;
end
$$;

-- Refuses a message, with all its faults as JSON in the detail.
create function email_refuse(faults jsonb) returns void language plpgsql as $$
begin
    raise exception 'e-mail refused: % %', faults #>> '{0,field}', faults #>> '{0,fault}'
        using errcode = 'invalid_parameter_value',
              detail = faults::text,
              hint = 'The detail lists every fault by field.';
end
$$;

-- The faults of a message as a JSON array.
create function email_faults_as_json(message jsonb) returns jsonb language sql stable set search_path from current as $$
    select coalesce(jsonb_agg(jsonb_build_object('field', f.field, 'fault', f.fault) order by f.place), '[]')
    from email_faults(message) with ordinality f (field, fault, place)
$$;

-- A list of addresses, or the one that stands for itself, as an array.
create function email_listed(list jsonb) returns text[] language sql immutable as $$
    select case jsonb_typeof(list)
        when 'array' then (select coalesce(array_agg(a.address order by a.place), '{}')
                           from jsonb_array_elements_text(list) with ordinality a (address, place))
        when 'string' then array[list #>> '{}']
        else '{}'
    end
$$;

-- Stores an accepted message for an event that is about to be inserted. False, and nothing is stored: the idempotency
-- key is taken.
create function email_store(message jsonb, message_no bigint, event_no bigint, not_before timestamptz) returns bool
language plpgsql set search_path from current as $$
declare
    recipients    text[] := email_listed(message -> 'to');
    copied        text[] := email_listed(message -> 'cc');
    hidden        text[] := email_listed(message -> 'bcc');
    sender_domain text;
begin
    select substring(email_bare_address(r.sender) from '@([^@]*)$') into sender_domain from email_rules r;
    insert into email_messages (id, event_id, message_id, correlation_id, document_type, idempotency_key, to_addresses,
                                cc_addresses, bcc_addresses, reply_to, subject, text_body, html_body, next_try_at)
    values (message_no, event_no,
            -- A Message-ID is ASCII whatever the sender's domain is.
            format('<%s@%s>', gen_random_uuid(),
                   case when sender_domain ~ '^[!-~]+$' then sender_domain else 'message.invalid' end),
            coalesce(message ->> 'correlationId', gen_random_uuid()::text),
            message ->> 'documentType', message ->> 'idempotencyKey', recipients, copied, hidden,
            message ->> 'replyTo', message ->> 'subject', message ->> 'text', message ->> 'html', not_before)
    on conflict (idempotency_key) where idempotency_key is not null do nothing;
    if not found then
        return false;
    end if;
    insert into email_recipients (address, message_id)
    select distinct lower(email_bare_address(address)), message_no
    from unnest(recipients || copied || hidden) address;
    if jsonb_typeof(message -> 'attachments') = 'array' then
        insert into email_attachments (message_id, position, file_name, content_type, content)
        select message_no, a.place, a.attachment ->> 'fileName', a.attachment ->> 'contentType',
               decode(a.attachment ->> 'content', 'base64')
        from jsonb_array_elements(message -> 'attachments') with ordinality a (attachment, place);
    end if;
    return true;
end
$$;

-- Checks a message, stores it, and emits its event: an e-mail that stands alone. With faults nothing is stored; a
-- known idempotency key answers with the first message, and nothing is looked at but the key.
create function email_accept(message jsonb, not_before timestamptz default null,
                             out faults jsonb, out id bigint, out correlation_id text, out status text, out repeated bool)
language plpgsql set search_path from current as $$
#variable_conflict use_variable
declare
    wanted_key text := case when jsonb_typeof(message -> 'idempotencyKey') = 'string' then message ->> 'idempotencyKey' end;
    event_no   bigint;
begin
    faults := '[]';
    for i in 1..10 loop
        if wanted_key is not null then
            select m.id, m.correlation_id, m.status into id, correlation_id, status
            from email_messages m where m.idempotency_key = wanted_key;
            if found then
                repeated := true;
                return;
            end if;
        end if;
        if i = 1 then
            faults := email_faults_as_json(message);
            if faults <> '[]' then
                return;
            end if;
        end if;
        -- The ids are drawn here, since message and event name each other.
        id := nextval(pg_get_serial_sequence('email_messages', 'id'));
        event_no := nextval(pg_get_serial_sequence('outbox_events', 'id'));
        if email_store(message, id, event_no, not_before) then
            insert into outbox_events as e (id, aggregate_id, event_type, payloads, next_retry_at)
            values (event_no, 'email:' || id, 'email', jsonb_build_object('email', jsonb_build_object('message', id)),
                    not_before);
            select m.correlation_id, m.status into correlation_id, status from email_messages m where m.id = email_accept.id;
            repeated := false;
            return;
        end if;
        -- Somebody else's message has the key by now.
    end loop;
    raise exception 'outbox_emit_email: the message with key % keeps changing; try again', wanted_key
        using errcode = 'serialization_failure';
end
$$;

-- Sends an e-mail once the caller's transaction has committed, and returns the message's id. `message` is the JSON
-- that `POST /api/emails` takes; a message with faults is refused, with all of them in the exception's detail.
create function outbox_emit_email(message jsonb, not_before timestamptz default null) returns bigint
language plpgsql set search_path from current as $$
declare
    accepted record;
begin
    select a.faults, a.id into accepted from email_accept(message, not_before) a;
    if accepted.faults <> '[]' then
        perform email_refuse(accepted.faults);
    end if;
    return accepted.id;
end
$$;

-- The same with a parameter for each field. `attachments` is a JSON array, as in the message.
create function outbox_emit_email(recipients text[], subject text, document_type text, text_body text default null,
                                  html_body text default null, cc text[] default null, bcc text[] default null,
                                  reply_to text default null, attachments jsonb default null,
                                  correlation_id text default null, idempotency_key text default null,
                                  not_before timestamptz default null)
returns bigint language sql set search_path from current as $$
    select outbox_emit_email(jsonb_build_object(
        'to', recipients, 'cc', cc, 'bcc', bcc, 'replyTo', reply_to, 'subject', subject, 'text', text_body,
        'html', html_body, 'documentType', document_type, 'attachments', attachments, 'correlationId', correlation_id,
        'idempotencyKey', idempotency_key), not_before)
$$;

-- A message within an event: one that is written out is stored, and its number takes its place.
--
-- Where no rules are published `email` is a destination like any other, which somebody's configuration may have.
create function email_take_in() returns trigger language plpgsql set search_path from current as $$
declare
    inside jsonb := new.payloads -> 'email';
    faults jsonb;
    no     bigint;
begin
    if jsonb_typeof(new.payloads) <> 'object' or not exists (select from email_rules) then
        return new;
    end if;
    if jsonb_typeof(inside) = 'object' and inside ? 'payload' and inside - 'payload' = '{}' then
        inside := inside -> 'payload';
    end if;
    if jsonb_typeof(inside) = 'object' and inside ? 'message' then
        if inside ->> 'message' ~ '^[0-9]{1,18}$' then
            no := inside ->> 'message';
        end if;
        -- It may be ours already, from the statement before; one of another event would be sent twice.
        perform from email_messages m where m.id = no and m.event_id = new.id;
        if not found then
            update email_messages m set event_id = new.id where m.id = no and m.event_id is null;
        end if;
        if not found or inside - 'message' <> '{}' then
            perform email_refuse(jsonb_build_array(jsonb_build_object(
                'field', 'message', 'fault', 'names no stored message that waits for an event')));
        end if;
    else
        faults := email_faults_as_json(inside);
        if inside ->> 'idempotencyKey' is not null then
            faults := faults || jsonb_build_object('field', 'idempotencyKey',
                                                   'fault', 'has no meaning inside an event: the event''s own key counts');
        end if;
        if faults <> '[]' then
            perform email_refuse(faults);
        end if;
        no := nextval(pg_get_serial_sequence('email_messages', 'id'));
        perform email_store(inside, no, new.id, new.next_retry_at);
    end if;
    new.email_id := no;
    new.payloads := jsonb_set(new.payloads, '{email}', jsonb_build_object('message', no));
    return new;
end
$$;

create trigger email_take_in before insert on outbox_events
    for each row when (new.payloads ? 'email' and left(new.event_type, 1) <> '!')
    execute function email_take_in();

-- A message is stored before its event, which may then turn out to be there already (`on conflict do nothing`). At the
-- end of the transaction it is known whether the event came, and a message without one goes. With the owner's rights,
-- since who emits needs none to delete.
create function email_drop_orphan() returns trigger language plpgsql security definer as $$
begin
    execute format('delete from %1$I.email_messages m where m.id = $1 and m.event_id = $2
                    and not exists (select from %1$I.outbox_events e where e.id = $2 and e.email_id = $1)', tg_table_schema)
    using new.id, new.event_id;
    return null;
end
$$;

create constraint trigger email_drop_orphan after insert on email_messages
    deferrable initially deferred for each row when (new.event_id is not null)
    execute function email_drop_orphan();

-- Writes down what an event's rows say of its message. Right in whatever order rows and changes of status come, since
-- it reads them all anew.
create function email_refresh(message_no bigint, event outbox_events) returns void language plpgsql
set search_path from current as $$
declare
    last    record;
    reason  text;
    sent    bool;
    failed  bool;
    state   text;
    words   text;
    trouble text;
begin
    -- By `+ 0`, since PostgreSQL might otherwise read all results from the newest backwards.
    select r.id, r.outcome, r.attempt, r.error_message, r.request_payload ->> 'provider' as provider into last
    from aggregate_results r
    where r.event_id = event.id and r.destination = 'email' and r.outcome <> 'skipped'
    order by r.id + 0 desc
    limit 1;
    sent := exists (select from aggregate_results r
                    where r.event_id = event.id and r.destination = 'email' and r.outcome = 'succeeded');
    failed := coalesce(last.id > event.forgiven_up_to, false);
    -- What the event says of this step. Mostly it is the last try's error with its place around it; else it is news,
    -- such as that every provider is left out for now.
    words := case when event.event_type = 'email' or event.last_error like 'email:%' then event.last_error end;
    trouble := case
        when sent then null
        when event.status = 'PROCESSING' or words is null or strpos(words, last.error_message) > 0 then
            last.error_message
        else words
    end;

    if sent then
        state := 'SUCCESS_SENT';
    elsif event.status = 'PROCESSING' then
        state := 'IN_PROCESS';
    elsif event.status = 'PENDING' then
        state := case when last.id is null then 'NOT_YET_SENT' else 'REQUIRED_RESEND' end;
    elsif event.status = 'CANCELLED' then
        state := 'FAILED_NOT_RETRYABLE';
        trouble := case when last.outcome = 'unknown' then 'cancelled; the last try may have sent it'
                   else 'cancelled before it was sent' end;
    else
        select d.reason into reason from dead_letter_events d
        where d.original_event_id = event.id and d.status <> 'RESOLVED' order by d.id + 0 desc limit 1;
        trouble := case
            when not event.moved_to_dlq then 'the event ended without a step `email`'
            when event.event_type <> 'email' and not failed then
                'not sent, since its event failed before: ' || coalesce(event.last_error, 'no reason was given')
            else coalesce(trouble, event.last_error, 'no reason was given')
        end;
        state := case
            when not event.moved_to_dlq or (failed and last.outcome = 'rejected') or reason = 'NON_RETRYABLE_ERROR' then
                'FAILED_NOT_RETRYABLE'
            when failed or event.event_type = 'email' then 'FAILED_RETRIES_EXHAUSTED'
            else 'FAILED_NOT_RETRYABLE'
        end;
    end if;

    update email_messages m
    set status = state, attempts = coalesce(last.attempt, 0), provider = last.provider, last_error = trouble,
        next_try_at = case when state in ('NOT_YET_SENT', 'REQUIRED_RESEND') then event.next_retry_at end,
        ended_at = case when state in ('SUCCESS_SENT', 'FAILED_NOT_RETRYABLE', 'FAILED_RETRIES_EXHAUSTED') then
                       coalesce(m.ended_at, now()) end
    where m.id = message_no
      and (m.status, m.attempts, m.provider, m.last_error, m.next_try_at)
          is distinct from
          (state, coalesce(last.attempt, 0), last.provider, trouble,
           case when state in ('NOT_YET_SENT', 'REQUIRED_RESEND') then event.next_retry_at end);
end
$$;

create function email_follow_event() returns trigger language plpgsql set search_path from current as $$
begin
    perform email_refresh(new.email_id, new);
    return null;
end
$$;

create trigger email_follow_event after update of status, next_retry_at on outbox_events
    for each row when (new.email_id is not null)
    execute function email_follow_event();

create function email_follow_result() returns trigger language plpgsql set search_path from current as $$
declare
    event outbox_events;
begin
    for event in select (e).* from outbox_events e where e.id = new.event_id and e.email_id is not null loop
        perform email_refresh(event.email_id, event);
    end loop;
    return null;
end
$$;

create trigger email_follow_result after insert on aggregate_results
    for each row when (new.destination = 'email')
    execute function email_follow_result();

create function email_count() returns trigger language plpgsql set search_path from current as $$
begin
    if tg_op <> 'INSERT' then
        insert into email_counts (status, messages) values (old.status, -1);
    end if;
    if tg_op <> 'DELETE' then
        insert into email_counts (status, messages) values (new.status, 1);
    end if;
    return null;
end
$$;

create trigger email_count_new after insert or delete on email_messages
    for each row execute function email_count();
create trigger email_count_change after update of status on email_messages
    for each row when (old.status <> new.status) execute function email_count();

-- Adds up what has gathered, and returns how many rows that were. One at a time: who comes second finds nothing to do.
create function email_fold_counts() returns bigint language plpgsql set search_path from current as $$
declare
    gathered bigint;
begin
    if not pg_try_advisory_xact_lock(7316, ('email_counts'::regclass::oid::bigint & 2147483647)::int) then
        return 0;
    end if;
    with gone as (delete from email_counts returning status, messages),
    added as (
        insert into email_counts (status, messages)
        select g.status, sum(g.messages) from gone g group by g.status having sum(g.messages) <> 0
    )
    select count(*) into gathered from gone;
    return gathered;
end
$$;

-- One row for each message: what a person who asks where a letter is wants to see.
create view email_status as
select m.id, m.status, m.attempts, m.provider, m.last_error, m.next_try_at, m.received_at, m.ended_at, m.document_type,
       m.correlation_id, m.idempotency_key, m.message_id, m.event_id, m.to_addresses, m.cc_addresses, m.bcc_addresses,
       m.reply_to, m.subject
from email_messages m;

-- Sends a failed message again, and says what came of it: `again`, `not_failed`, `in_a_saga`, `event_gone`, `unknown`.
--
-- The event goes on in the same run: who was accepted stays accepted, and the Message-ID is the same. Only its failed
-- tries are forgiven. The message's row decides between two callers.
create function email_try_again(message_no bigint) returns text language plpgsql set search_path from current as $$
declare
    mail record;
begin
    select m.status, m.event_id into mail from email_messages m where m.id = message_no for no key update;
    if not found then
        return 'unknown';
    end if;
    if mail.status not in ('FAILED_NOT_RETRYABLE', 'FAILED_RETRIES_EXHAUSTED') then
        return 'not_failed';
    end if;
    perform from outbox_events e where e.id = mail.event_id and e.email_id = message_no;
    if not found then
        return 'event_gone';
    end if;
    update outbox_events e
    set status = 'PENDING', status_changed_at = now(), next_retry_at = now(), retry_count = 0, deaths = 0,
        last_error = null, moved_to_dlq = false,
        forgiven_up_to = (select coalesce(max(r.id), 0) from aggregate_results r where r.event_id = e.id)
    where e.id = mail.event_id and not e.active and e.event_type = 'email' and e.payloads - 'email' = '{}';
    if not found then
        return 'in_a_saga';
    end if;
    update dead_letter_events d
    set status = 'RESOLVED', status_changed_at = now(), lease_owner = null, lease_expires_at = null
    where d.original_event_id = mail.event_id and d.status <> 'RESOLVED';
    perform pg_notify('outbox_events_channel', '');
    return 'again';
end
$$;

-- Sends a failed message again; false where it has not failed, or where somebody else was quicker.
create function email_resend(message bigint) returns bool language plpgsql set search_path from current as $$
declare
    outcome text := email_try_again(message);
begin
    if outcome = 'in_a_saga' then
        raise exception 'message % belongs to an event with other steps, which were undone when it failed: run the event again instead', message
            using errcode = 'object_not_in_prerequisite_state';
    elsif outcome = 'event_gone' then
        raise exception 'the event of message % was deleted, and with it who has got it already: send a new message', message
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return outcome = 'again';
end
$$;

-- Sends failed messages again, oldest first, and returns how many. Those inside events with other steps are left out.
create function email_resend_where(status text default null, document_type text default null,
                                   received_from timestamptz default null, received_until timestamptz default null,
                                   most int default 1000)
returns int language plpgsql set search_path from current as $$
#variable_conflict use_column
declare
    no    bigint;
    again int := 0;
begin
    for no in
        -- Each status by its own index: in the order of ids alone, all messages would be looked at.
        select failed.id
        from unnest(array['FAILED_NOT_RETRYABLE', 'FAILED_RETRIES_EXHAUSTED']) wanted (status)
        cross join lateral (
            select m.id from email_messages m
            where m.status = wanted.status
              and ($2 is null or m.document_type = $2)
              and ($3 is null or m.received_at >= $3)
              and ($4 is null or m.received_at < $4)
        ) failed
        where $1 is null or wanted.status = $1
        order by failed.id
    loop
        exit when again >= $5;
        if email_try_again(no) = 'again' then
            again := again + 1;
        end if;
    end loop;
    return again;
end
$$;
