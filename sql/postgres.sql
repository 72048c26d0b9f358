-- Functions for ULIDs in PostgreSQL 14 and later, without extensions:
--
--   psql -1 -v ON_ERROR_STOP=1 -f postgres.sql
--
-- README.md shows their use. A string that is not a ULID is an error (22P02), and for ulid.make_at so is a time that no
-- ULID has (22008). For NULL the functions return NULL. What they return depends on no setting of the session and no
-- collation.
--
-- The functions have a schema of their own, which every call names. In a schema of the search path another role could
-- put a function whose arguments fit a call better, and it would run with the caller's rights. For the same reason each
-- function sets its own search path, so that the names in its body are always PostgreSQL's, and none calls another one
-- of this file. Only the types before SET are looked up on the path of the session.
--
-- CREATE SCHEMA is an error if the schema exists, because its owner can change what is in it. Don't add IF NOT EXISTS.
--
-- To update the functions, first look at the owners that psql's \dn ulid and \df+ ulid.* show. If all are you, run
-- this, which also grants every role EXECUTE on all functions of the schema again:
--
--   sed '/^CREATE SCHEMA/d; s/^CREATE/& OR REPLACE/' postgres.sql | psql -1 -v ON_ERROR_STOP=1 -f -
--
-- To remove them. CASCADE would take along each DEFAULT and index that calls one:
--
--   DROP FUNCTION ulid.from_text(text), ulid.to_text(uuid), ulid.time(uuid), ulid.first_at(timestamptz),
--     ulid.make_at(timestamptz), ulid.make();
--   DROP SCHEMA ulid;

CREATE SCHEMA ulid;
GRANT USAGE ON SCHEMA ulid TO PUBLIC;

-- ulid.from_text reads 26 characters in either case. An error quotes at most 40, as a string of JSON.
CREATE FUNCTION ulid.from_text(s pg_catalog.text) RETURNS pg_catalog.uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  digits CONSTANT bytea := decode( -- the value of each character from 0 to Z
    '00010203040506070809ffffffffffffff0a0b0c0d0e0f1011ff1213ff1415ff161718191aff1b1c1d1e1f', 'hex');
  chars bytea;
  high bigint := 0; -- 13 characters, of which the first has 3 bits, and 1 bit of the next
  low bigint := 0;  -- the other 4 bits of that, and 12 characters
BEGIN
  IF octet_length(s) <> 26 OR s COLLATE "C" ~ '[^0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]|^[^0-7]' THEN
    RAISE EXCEPTION 'not a ULID: %', to_json(left(s, 40)) USING ERRCODE = 'invalid_text_representation';
  END IF;
  chars := upper(s COLLATE "C")::bytea;
  FOR i IN 0..12 LOOP
    high := (high << 5) | get_byte(digits, get_byte(chars, i) - 48);
    low := (low << 5) | get_byte(digits, get_byte(chars, i + 13) - 48);
  END LOOP;
  high := (high << 1) | (get_byte(digits, get_byte(chars, 13) - 48) >> 4);
  RETURN encode(int8send(high) || int8send(low), 'hex');
END $$;

-- ulid.to_text writes the 26 characters in upper case.
CREATE FUNCTION ulid.to_text(id pg_catalog.uuid) RETURNS pg_catalog.text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  bits CONSTANT bit(132) := 'x0' || replace(id::text, '-', ''); -- 4 zeros, of which the first character has 2
  chars text := '';
BEGIN
  FOR i IN 3..128 BY 5 LOOP
    chars := chars || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + substring(bits, i, 5)::bit(5)::integer, 1);
  END LOOP;
  RETURN chars;
END $$;

-- ulid.time returns the time of an ID. It adds seconds and milliseconds apart, because as a double precision their sum
-- is not exact after the year 2255.
CREATE FUNCTION ulid.time(id pg_catalog.uuid) RETURNS pg_catalog.timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ms CONSTANT bigint := ('x' || replace(left(id::text, 13), '-', ''))::bit(48)::bigint;
BEGIN
  RETURN to_timestamp(ms / 1000) + ms % 1000 * interval '1 ms';
END $$;

-- ulid.first_at returns the smallest ID of a millisecond. Before 1970 this is the zero ID, and for a time too late for
-- a ULID the largest ID.
CREATE FUNCTION ulid.first_at(t pg_catalog.timestamptz) RETURNS pg_catalog.uuid
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ms CONSTANT numeric := greatest(floor(extract(epoch FROM t) * 1000), 0);
BEGIN
  IF ms >= 281474976710656 THEN -- 2^48
    RETURN repeat('f', 32);
  END IF;
  RETURN rpad(lpad(to_hex(ms::bigint), 12, '0'), 32, '0');
END $$;

-- ulid.make_at returns a new ID with a time. It is a UUID of version 7, as those of Go's Make and MakeAt: 48 bits of
-- milliseconds, the version, 12 bits of the fraction of a millisecond, the variant, and 62 random bits. The last two
-- are those of a UUID of version 4.
CREATE FUNCTION ulid.make_at(t pg_catalog.timestamptz) RETURNS pg_catalog.uuid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  seconds CONSTANT numeric := extract(epoch FROM t);
  us bigint; -- microseconds
BEGIN
  IF seconds < 0 OR seconds >= 281474976710.656 THEN
    RAISE EXCEPTION 'no ULID has the time %', t USING ERRCODE = 'datetime_field_overflow';
  END IF;
  us := seconds * 1000000;
  RETURN encode(int8send((us / 1000 << 16) | (7 << 12) | (us % 1000 * 4096 / 1000)), 'hex')
    || right(gen_random_uuid()::text, 17);
END $$;

-- ulid.make returns a new ID with the time of the call. IDs of the same microsecond are in no order.
CREATE FUNCTION ulid.make() RETURNS pg_catalog.uuid
LANGUAGE plpgsql VOLATILE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  us CONSTANT bigint := extract(epoch FROM clock_timestamp()) * 1000000;
BEGIN
  RETURN encode(int8send((us / 1000 << 16) | (7 << 12) | (us % 1000 * 4096 / 1000)), 'hex')
    || right(gen_random_uuid()::text, 17);
END $$;

-- This matters where default privileges let no other role call a new function.
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ulid TO PUBLIC;
