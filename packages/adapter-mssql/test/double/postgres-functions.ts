/**
 * What the rows of the double lie in: a collation that takes letters of both cases for equal, as most of SQL Server do, a type for
 * texts that are documents, and functions under the names of SQL Server that PostgreSQL lacks.
 */
export const postgresFunctions = `
create schema mssql;
create collation mssql.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create domain mssql.document as text check (value is json);
create function mssql.len(text) returns int language sql immutable as $$ select length(rtrim($1)) $$;
create function mssql.is_like(text, text) returns boolean language sql immutable as $$
  select $1 collate "C" ~ substr($2, 2, length($2) - 2) $$;
create function mssql.try_decimal(text) returns numeric language plpgsql immutable as $$
  begin return $1::numeric(38, 19); exception when others then return null; end $$;
create function mssql.string_escape(text, text) returns text language sql immutable as $$
  select replace(substr(to_json($1)::text, 2, length(to_json($1)::text) - 2), '/', '\\/') $$;
create function mssql.text_of(date) returns text language sql as $$ select to_char($1, 'YYYY-MM-DD') $$;
create function mssql.text_of(timestamp) returns text language sql as $$ select to_char($1, 'YYYY-MM-DD HH24:MI:SS.US"0"') $$;
create function mssql.text_of(timestamptz) returns text language sql as $$
  select to_char($1 at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS.US"0 +00:00"') $$;
create function mssql.text_of(time) returns text language sql as $$ select to_char($1, 'HH24:MI:SS.US"0"') $$;
create function mssql.text_of(float8) returns text language sql as $$ select $1::text $$;
create function mssql.path_of(text) returns text[] language sql immutable as $$
  select coalesce(array_agg(coalesce(('"' || part[1] || '"')::jsonb #>> '{}', part[2])), '{}')
  from regexp_matches($1, '\\."((?:[^"\\\\]|\\\\.)*)"|\\[(\\d+)\\]', 'g') as part $$;
create function mssql.openjson(document text, place text default '$')
  returns table ("key" text, "value" text, "type" int) language plpgsql as $$
  declare found jsonb := document::jsonb #> mssql.path_of(place);
  begin
    if jsonb_typeof(found) = 'object' then
      return query select e.key collate "C", e.value #>> '{}', mssql.type_of(e.value) from jsonb_each(found) as e;
    elsif jsonb_typeof(found) = 'array' then
      return query select (e.position - 1)::text collate "C", e.value #>> '{}', mssql.type_of(e.value)
        from jsonb_array_elements(found) with ordinality as e(value, position);
    end if;
  end $$;
create function mssql.type_of(jsonb) returns int language sql immutable as $$
  select array_position(array['null', 'string', 'number', 'boolean', 'array', 'object'], jsonb_typeof($1)) - 1 $$;
create function mssql.json_modify(document text, place text, value text) returns text language plpgsql as $$
  declare path text[] := mssql.path_of(place); held jsonb := document::jsonb;
  begin
    if value is not null then return jsonb_set(held, path, to_jsonb(value))::text; end if;
    if jsonb_typeof(held #> path[:array_length(path, 1) - 1]) = 'array' then return jsonb_set(held, path, 'null')::text; end if;
    return (held #- path)::text;
  end $$;
`
