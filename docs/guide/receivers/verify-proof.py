"""Verifica la prueba de entrega de un evento, sin preguntarle nada al servicio.
Verifies the proof of an event's delivery, without asking the service anything.

    python3 verify-proof.py proof.json

See docs/guide/proof-of-delivery.md.
"""
import base64, hashlib, json, sys


def sha(data):
    return hashlib.sha256(data).digest()


def fields(*values):
    out = b""
    for value in values:
        if value is None:
            out += b"\xff\xff\xff\xff"
            continue
        value = value if isinstance(value, bytes) else str(value).encode()
        out += len(value).to_bytes(4, "big") + value
    return out


def raw(text):
    return None if text is None else bytes.fromhex(text)


def plain(text):
    return None if text is None else base64.b64decode(text)


def expect(is_right, what):
    if not is_right:
        sys.exit(f"NO: {what}")


with open(sys.argv[1], encoding="utf-8") as file:
    proof = json.load(file)
# As the API answers it, or as the command line prints it.
proof = proof.get("proof", proof)
event = proof["event"]
expect(proof["format"] == "cotejo-proof-1", "another format")
pruned = event["pruned_at"] is not None
if not pruned:
    expect(sha(plain(event["body_base64"])) == raw(event["body_digest"]), "the body")
    expect(sha(event["url"].encode()) == raw(event["url_digest"]), "the address")
chain = sha(fields(
    "cotejo event 1", event["owner_id"], event["id"], event["kind"], raw(event["subject"]),
    event["created_at_micros"], raw(event["url_digest"]), raw(event["body_digest"])))
expect(chain == raw(event["digest"]), "the event")

digests = {}
for attempt in proof["attempts"]:
    name = f"attempt {attempt['number']}"
    if not pruned:
        head, digest = attempt["request_head"], raw(attempt["request_digest"])
        expect((head and sha(head.encode())) == digest, f"the request of {name}")
        answer = plain(attempt["answer_head_base64"]), plain(attempt["answer_body_base64"])
        answered = sha(fields("cotejo answer 1", *answer))
        expect(answered == raw(attempt["answer_digest"]), f"the answer to {name}")
    reused = attempt["is_reused"]
    chain = sha(fields(
        "cotejo attempt 1", chain, attempt["number"], attempt["began_at_micros"],
        attempt["duration_micros"], attempt["status"], attempt["trouble"], attempt["address"],
        None if reused is None else int(reused), raw(attempt["phases"]),
        raw(attempt["request_digest"]), raw(attempt["answer_digest"])))
    expect(chain == raw(attempt["digest"]), name)
    digests[attempt["number"]] = chain

for day in proof["days"]:
    for path in day["paths"]:
        reached = sha(b"\0" + digests[path["attempt"]])
        for step in path["steps"]:
            other = raw(step["digest"])
            reached = sha(b"\1" + (other + reached if step["side"] == "left" else reached + other))
        expect(reached == raw(day["root"]), f"attempt {path['attempt']} in {day['day']}")
    digest = sha(fields(
        "cotejo day 1", event["owner_id"], day["day"], day["attempts"], raw(day["root"]),
        raw(day["before"])))
    expect(digest == raw(day["digest"]), day["day"])
    print(day["day"], day["digest"])
print("OK:", event["id"], len(digests))
