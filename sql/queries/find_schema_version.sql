-- name: find_schema_version
-- Whether the database answers, and with which schema.
select coalesce(max(s.version), 0) from sagabox_schema s
