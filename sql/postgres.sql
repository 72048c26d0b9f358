-- Functions for ULIDs in PostgreSQL 14 and later, without extensions:
--
--   psql -1 -v ON_ERROR_STOP=1 -f postgres.sql
--
-- README.md shows their use. What is not a ULID is an error (22P02). The functions return NULL for NULL. What they
-- return depends neither on the collation nor on any setting of the session that calls or installed them, such as its
-- search path, its time zone or standard_conforming_strings.
--
-- All that is PostgreSQL's own is named with its schema, even operators, types and collations. Another role may have
-- an operator such as |(bigint, integer) in a schema on the search path, which fits better than PostgreSQL's and
-- would run with the rights of the caller. OPERATOR() has no precedence, so there are many parentheses.
--
-- CREATE OR REPLACE would leave a function to the role that created it before, perhaps another one. Write it only to
-- install a new version over your own.

-- ulid_text is text that sorts by its bytes, and so in the order of the IDs, whatever the collation of the database.
CREATE DOMAIN ulid_text AS pg_catalog.text COLLATE pg_catalog."C";

-- ulid_to_uuid reads the 26 characters in either case. digits has the value of each character from 0 to Z. An error
-- quotes at most 40 characters, as a string of JSON.
CREATE FUNCTION ulid_to_uuid(ulid pg_catalog.text) RETURNS pg_catalog.uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  digits CONSTANT pg_catalog.bytea := pg_catalog.decode(
    '00010203040506070809ffffffffffffff0a0b0c0d0e0f1011ff1213ff1415ff161718191aff1b1c1d1e1f', 'hex');
  chars pg_catalog.bytea;
  high bigint := 0; -- 13 digits, of which the first has three bits
  low bigint := 0;  -- 13 more, without the first bit
BEGIN
  IF pg_catalog.octet_length(ulid) OPERATOR(pg_catalog.<>) 26
    OR ulid COLLATE pg_catalog."C" OPERATOR(pg_catalog.~) '[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]|^[^0-7]'
  THEN
    RAISE EXCEPTION 'not a ULID: %', pg_catalog.to_json(pg_catalog.left(ulid, 40))
      USING ERRCODE = 'invalid_text_representation';
  END IF;
  chars := pg_catalog.upper(ulid)::pg_catalog.bytea;
  FOR i IN 0..12 LOOP
    high := (high OPERATOR(pg_catalog.<<) 5) OPERATOR(pg_catalog.|)
      pg_catalog.get_byte(digits, pg_catalog.get_byte(chars, i) OPERATOR(pg_catalog.-) 48);
    low := (low OPERATOR(pg_catalog.<<) 5) OPERATOR(pg_catalog.|)
      pg_catalog.get_byte(digits, pg_catalog.get_byte(chars, i OPERATOR(pg_catalog.+) 13) OPERATOR(pg_catalog.-) 48);
  END LOOP;
  high := (high OPERATOR(pg_catalog.<<) 1) OPERATOR(pg_catalog.|)
    (pg_catalog.get_byte(digits, pg_catalog.get_byte(chars, 13) OPERATOR(pg_catalog.-) 48) OPERATOR(pg_catalog.>>) 4);
  RETURN pg_catalog.encode(
    pg_catalog.int8send(high) OPERATOR(pg_catalog.||) pg_catalog.int8send(low), 'hex')::pg_catalog.uuid;
END $$;

-- This ulid_to_uuid reads 16 bytes. uuid_send, which PostgreSQL has, is the way back. It reads at most 17, so that
-- an error quotes no more.
CREATE FUNCTION ulid_to_uuid(ulid pg_catalog.bytea) RETURNS pg_catalog.uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN pg_catalog.encode(pg_catalog.substr(ulid, 1, 17), 'hex')::pg_catalog.uuid;

-- ulid_to_text writes the 26 characters in upper case.
CREATE FUNCTION ulid_to_text(ulid pg_catalog.uuid) RETURNS ulid_text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  hex CONSTANT pg_catalog.text := pg_catalog.replace(ulid::pg_catalog.text, '-', '');
  bits CONSTANT bit(130) := B'00' OPERATOR(pg_catalog.||) ('x' OPERATOR(pg_catalog.||) hex)::bit(128);
  chars pg_catalog.text := '';
BEGIN
  FOR i IN 1..126 BY 5 LOOP
    chars := chars OPERATOR(pg_catalog.||) pg_catalog.substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
      1 OPERATOR(pg_catalog.+) pg_catalog.substring(bits, i, 5)::bit(5)::integer, 1);
  END LOOP;
  RETURN chars;
END $$;

CREATE FUNCTION ulid_to_text(ulid pg_catalog.bytea) RETURNS ulid_text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_to_text(ulid_to_uuid(ulid));

-- ulid_ms returns the milliseconds since 1970.
CREATE FUNCTION ulid_ms(ulid pg_catalog.uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' OPERATOR(pg_catalog.||)
  pg_catalog.left(pg_catalog.replace(ulid::pg_catalog.text, '-', ''), 12))::bit(48)::bigint;

CREATE FUNCTION ulid_ms(ulid pg_catalog.text) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_ms(ulid_to_uuid(ulid));

CREATE FUNCTION ulid_ms(ulid pg_catalog.bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_ms(ulid_to_uuid(ulid));

-- ulid_time returns the time of an ID. It adds seconds and milliseconds apart, because their sum as a double
-- precision is not exact after the year 2255.
CREATE FUNCTION ulid_time(ulid pg_catalog.uuid) RETURNS timestamp with time zone
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (timestamp 'epoch'
  OPERATOR(pg_catalog.+) ((ulid_ms(ulid) OPERATOR(pg_catalog./) 1000) OPERATOR(pg_catalog.*) interval '1 second')
  OPERATOR(pg_catalog.+) ((ulid_ms(ulid) OPERATOR(pg_catalog.%) 1000) OPERATOR(pg_catalog.*) interval '1 millisecond')
  ) AT TIME ZONE 'UTC';

CREATE FUNCTION ulid_time(ulid pg_catalog.text) RETURNS timestamp with time zone
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_time(ulid_to_uuid(ulid));

CREATE FUNCTION ulid_time(ulid pg_catalog.bytea) RETURNS timestamp with time zone
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ulid_time(ulid_to_uuid(ulid));

-- ulid_first_at and ulid_last_at return the smallest and the largest ID of a millisecond. For a time before 1970
-- they return the zero ID, and for one too late for a ULID the largest ID.
CREATE FUNCTION ulid_first_at(t timestamp with time zone) RETURNS pg_catalog.uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN t OPERATOR(pg_catalog.<) timestamp with time zone 'epoch' THEN pg_catalog.repeat('0', 32)
  WHEN t OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00' THEN pg_catalog.repeat('f', 32)
  ELSE pg_catalog.rpad(pg_catalog.lpad(pg_catalog.to_hex(
    pg_catalog.floor(extract(epoch FROM t AT TIME ZONE 'UTC') OPERATOR(pg_catalog.*) 1000)::bigint), 12, '0'), 32, '0')
END::pg_catalog.uuid;

CREATE FUNCTION ulid_last_at(t timestamp with time zone) RETURNS pg_catalog.uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
  WHEN t OPERATOR(pg_catalog.<) timestamp with time zone 'epoch' THEN pg_catalog.repeat('0', 32)
  ELSE pg_catalog.rpad(pg_catalog.left(pg_catalog.replace(ulid_first_at(t)::pg_catalog.text, '-', ''), 12), 32, 'f')
END::pg_catalog.uuid;

-- ulid_make_at returns a new ID with a time. It is a UUID of version 7, as those of Go's Make and New(t, nil): 48 bits
-- of milliseconds, the version, 12 bits of the fraction of a millisecond, the variant, and 62 random bits. The last two
-- are those of a UUID of version 4. A time before 1970, or too late for a ULID, is an error (22008).
CREATE FUNCTION ulid_make_at(t timestamp with time zone) RETURNS pg_catalog.uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE AS $$
DECLARE
  microseconds bigint;
BEGIN
  IF t OPERATOR(pg_catalog.<) timestamp with time zone 'epoch'
    OR t OPERATOR(pg_catalog.>=) timestamp with time zone '10889-08-02 05:31:50.656+00'
  THEN
    RAISE EXCEPTION 'no ULID has the time %', t USING ERRCODE = 'datetime_field_overflow';
  END IF;
  microseconds := extract(epoch FROM t AT TIME ZONE 'UTC') OPERATOR(pg_catalog.*) 1000000;
  RETURN (pg_catalog.lpad(pg_catalog.to_hex(microseconds OPERATOR(pg_catalog./) 1000), 12, '0')
    OPERATOR(pg_catalog.||) '7'
    OPERATOR(pg_catalog.||) pg_catalog.lpad(pg_catalog.to_hex(
      (microseconds OPERATOR(pg_catalog.%) 1000) OPERATOR(pg_catalog.*) 4096 OPERATOR(pg_catalog./) 1000), 3, '0')
    OPERATOR(pg_catalog.||) pg_catalog.right(pg_catalog.gen_random_uuid()::pg_catalog.text, 18))::pg_catalog.uuid;
END $$;

-- ulid_make returns a new ID with the time of the call. IDs of the same microsecond are in no order.
CREATE FUNCTION ulid_make() RETURNS pg_catalog.uuid
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN ulid_make_at(pg_catalog.clock_timestamp());
