"""A mail server of the tests: it keeps nothing, and prints every mail that it is given as a line of JSON.

A line on standard input says how it answers from then on: `250`, another status, or `silent`, which answers never. Every line is answered by `ok`, behind the mails that came before.
"""

import asyncio
import email
import email.policy
import json
import os
import sys

from aiosmtpd.smtp import SMTP


class Handler:
    answer = "250"

    async def handle_DATA(self, server, session, envelope):
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        told = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "headers": [[name, str(value)] for name, value in mail.items()],
            "body": mail.get_content(),
            "answer": self.answer,
        }
        print(json.dumps(told), flush=True)
        if self.answer == "silent":
            await asyncio.sleep(3600)
        return self.answer if " " in self.answer else self.answer + " made-up answer"


async def serve():
    handler = Handler()
    loop = asyncio.get_running_loop()
    factory = lambda: SMTP(handler, enable_SMTPUTF8=True)
    server = await loop.create_server(factory, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        handler.answer = line.strip() or handler.answer
        print("ok", flush=True)
    # Whoever started it is gone.
    os._exit(0)


asyncio.run(serve())
