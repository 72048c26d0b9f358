-- Functions for ULIDs in PostgreSQL 14 and later, without extensions:
--
--   psql -v ON_ERROR_STOP=1 -f postgres.sql
--
-- examples_postgres.sql shows their use. What is not a ULID is an error (22P02). The functions return NULL for NULL, and do
-- not depend on the search path, the collation or the time zone of the session.

-- ulid_to_uuid reads the 26 characters in either case. digits has the value of each character from 0 to Z.
CREATE OR REPLACE FUNCTION ulid_to_uuid(ulid text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits CONSTANT bytea := '\x00010203040506070809ffffffffffffff0a0b0c0d0e0f1011ff1213ff1415ff161718191aff1b1c1d1e1f';
  chars bytea;
  high bigint := 0; -- 13 digits, of which the first has three bits
  low bigint := 0;  -- 13 more, without the first bit
BEGIN
  IF octet_length(ulid) <> 26 OR ulid COLLATE "C" ~ '[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]|^[^0-7]' THEN
    RAISE EXCEPTION 'not a ULID: "%"', ulid USING ERRCODE = 'invalid_text_representation';
  END IF;
  chars := upper(ulid COLLATE "C")::bytea;
  FOR i IN 0..12 LOOP
    high := high << 5 | get_byte(digits, get_byte(chars, i) - 48);
    low := low << 5 | get_byte(digits, get_byte(chars, i + 13) - 48);
  END LOOP;
  high := high << 1 | (get_byte(digits, get_byte(chars, 13) - 48) >> 4);
  RETURN encode(int8send(high) || int8send(low), 'hex')::uuid;
END $$;

-- This ulid_to_uuid reads 16 bytes. uuid_send, which PostgreSQL has, is the way back.
CREATE OR REPLACE FUNCTION ulid_to_uuid(ulid bytea) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN encode(ulid, 'hex')::uuid;

-- ulid_to_text writes the 26 characters in upper case.
CREATE OR REPLACE FUNCTION ulid_to_text(ulid uuid) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  bits CONSTANT bit(130) := B'00' || ('x' || replace(ulid::text, '-', ''))::bit(128);
  digits text := '';
BEGIN
  FOR i IN 1..126 BY 5 LOOP
    digits := digits || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + substring(bits FROM i FOR 5)::bit(5)::int, 1);
  END LOOP;
  RETURN digits;
END $$;

CREATE OR REPLACE FUNCTION ulid_to_text(ulid bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_to_text(ulid_to_uuid(ulid));

-- ulid_ms returns the milliseconds since 1970.
CREATE OR REPLACE FUNCTION ulid_ms(ulid uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || left(replace(ulid::text, '-', ''), 12))::bit(48)::bigint;

-- ulid_time returns the time of an ID. It adds seconds and milliseconds apart, because their sum as a
-- double precision is not exact after the year 2255.
CREATE OR REPLACE FUNCTION ulid_time(ulid uuid) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (timestamp 'epoch' + ulid_ms(ulid) / 1000 * interval '1 second'
  + ulid_ms(ulid) % 1000 * interval '1 millisecond') AT TIME ZONE 'UTC';

CREATE OR REPLACE FUNCTION ulid_time(ulid text) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_time(ulid_to_uuid(ulid));

CREATE OR REPLACE FUNCTION ulid_time(ulid bytea) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_time(ulid_to_uuid(ulid));

-- ulid_first_at and ulid_last_at return the smallest and the largest ID of a millisecond. For a time
-- before 1970 they return the zero ID, and for one too late for a ULID the largest ID.
CREATE OR REPLACE FUNCTION ulid_first_at(t timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN t < timestamptz 'epoch' THEN repeat('0', 32)
  WHEN extract(epoch FROM t AT TIME ZONE 'UTC') * 1000 >= 1::bigint << 48 THEN repeat('f', 32)
  ELSE rpad(lpad(to_hex(floor(extract(epoch FROM t AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0'), 32, '0')
END::uuid;

CREATE OR REPLACE FUNCTION ulid_last_at(t timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN t < timestamptz 'epoch' THEN repeat('0', 32)
  ELSE rpad(left(replace(ulid_first_at(t)::text, '-', ''), 12), 32, 'f')
END::uuid;

-- ulid_make returns a new ID, which is also a UUID of version 7: the time of the call, and the 74 random bits of a UUID
-- of version 4 without its first 48. IDs of the same millisecond are in no order.
CREATE OR REPLACE FUNCTION ulid_make() RETURNS uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN (left(ulid_first_at(clock_timestamp())::text, 14) || '7' || right(gen_random_uuid()::text, 21))::uuid;
