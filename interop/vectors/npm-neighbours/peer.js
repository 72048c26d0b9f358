// Answers what npm_test.go asks: a JSON document on stdin, one on stdout.
import { readFileSync } from "node:fs";
import { decodeTime, monotonicFactory, ulid, ulidToUUID, uuidToULID } from "ulid";

const { texts, uuids, make, sequences } = JSON.parse(readFileSync(0, "utf8"));

// The error stands in place of a value.
const attempt = (f) => {
  try {
    return f();
  } catch (e) {
    return `error: ${e.message}`;
  }
};

// The package draws the 16 random characters from the last to the first.
const replay = (digits) => {
  let i = digits.length;
  return () => digits[--i] / 32;
};

console.log(
  JSON.stringify({
    uuidsOfTexts: texts.map((s) => attempt(() => ulidToUUID(s))),
    timesOfTexts: texts.map((s) => attempt(() => decodeTime(s))),
    textsOfUUIDs: uuids.map((s) => attempt(() => uuidToULID(s))),
    made: Array.from({ length: make }, () => {
      const text = ulid();
      return { text, uuid: ulidToUUID(text), time: decodeTime(text) };
    }),
    sequences: sequences.map(({ digits, times }) => {
      const next = monotonicFactory(replay(digits));
      return times.map((time) => attempt(() => next(time)));
    }),
  }),
);
