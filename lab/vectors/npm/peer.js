// Answers the questions of peers_test.go: for each row of the table and each question an answer. An operation that a
// package has no function for is missing here.
import { readFileSync } from "node:fs";
import * as ulid from "ulid";
import * as ulidx from "ulidx";
import id128 from "id128";

const hexToUUID = (hex) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

// The random numbers from which a package draws these 80 bits: 16 digits for each, the last one first.
const replay = (entropy) => {
  const draws = entropy.flatMap((hex) =>
    Array.from({ length: 16 }, (_, i) => Number((BigInt("0x" + hex) >> BigInt(5 * i)) & 31n) / 32),
  );
  return () => {
    if (draws.length === 0) throw new Error("more entropy is drawn than the run has");
    return draws.shift();
  };
};

const attempt = (f) => {
  try {
    return { value: String(f()) };
  } catch (e) {
    return { error: e.message || String(e) };
  }
};

// ulid and ulidx have the same functions.
const operations = (p) => ({
  decode: (text) => p.ulidToUUID(text).replaceAll("-", "").toLowerCase(),
  encode: (hex) => p.uuidToULID(hexToUUID(hex)),
  lenient: (text) => p.uuidToULID(p.ulidToUUID(p.fixULIDBase32(text))),
  time: (ms) => p.encodeTime(Number(ms), 10),
  make: (ms, entropy) => p.ulid(Number(ms), replay([entropy])),
  monotonic: (times, entropy) => {
    const next = p.monotonicFactory(replay(entropy.split(",")));
    return times
      .split(",")
      .map((ms) => attempt(() => next(Number(ms))).value ?? "error")
      .join(",");
  },
  uuid: (text) => p.ulidToUUID(text),
  fromuuid: (uuid) => p.uuidToULID(uuid),
  fresh: () => {
    const text = p.ulid();
    return `${text} ${p.decodeTime(text)}`;
  },
});

// isValid says no where others throw.
const isValid = (p) => ({
  valid: (text) => {
    if (!p.isValid(text)) throw new Error("isValid is false");
    return true;
  },
});

const decodeTime = (p) => ({ ms: (text) => p.decodeTime(text) });

const { Ulid } = id128;
const rows = {
  ulid: operations(ulid),
  "ulid-isValid": isValid(ulid),
  "ulid-decodeTime": decodeTime(ulid),
  ulidx: operations(ulidx),
  "ulidx-isValid": isValid(ulidx),
  "ulidx-decodeTime": decodeTime(ulidx),
  id128: {
    decode: (text) => Ulid.fromCanonical(text).toRaw().toLowerCase(),
    encode: (hex) => Ulid.fromRaw(hex).toCanonical(),
    ms: (text) => Ulid.fromCanonical(text).time.getTime(),
    time: (ms) => Ulid.generate({ time: Number(ms) }).toCanonical().slice(0, 10),
    compare: (a, b) => id128.idCompare(Ulid.fromCanonical(a), Ulid.fromCanonical(b)),
  },
};

const questions = JSON.parse(readFileSync(0, "utf8"));
const answers = {};
for (const [row, functions] of Object.entries(rows)) {
  answers[row] = questions.map(({ op, a, b }) =>
    functions[op] ? attempt(() => functions[op](a, b)) : { none: true },
  );
}
console.log(JSON.stringify(answers));
