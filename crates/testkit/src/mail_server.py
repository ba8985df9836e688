"""A mail server of the tests: it keeps nothing, and prints every mail that it is given as a line of JSON.

It may be told by its arguments to encrypt, from STARTTLS on or from the beginning, by which certificate and key, and which user and password sign in by which mechanism.

A line on standard input says how it answers from then on: `250`, another status, or `silent`, which answers never. Every line is answered by `ok`, behind the mails that came before.
"""

import asyncio
import email
import email.policy
import json
import os
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


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
            "login": session.auth_data.login.decode() if session.authenticated else None,
            "encrypted": server.transport.get_extra_info("sslcontext") is not None,
        }
        print(json.dumps(told), flush=True)
        if self.answer == "silent":
            await asyncio.sleep(3600)
        return self.answer if " " in self.answer else self.answer + " made-up answer"


def secured(begin, certificate, key, mechanism, user, password):
    """How to encrypt from STARTTLS on, or the context by which it is from the beginning; and who signs in."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def authenticate(server, session, envelope, shown, data):
        is_right = (data.login, data.password) == (user.encode(), password.encode())
        # Where it is not handled, the server itself answers that it was wrong.
        return AuthResult(success=is_right, handled=is_right, auth_data=data)

    options = {
        "authenticator": authenticate,
        "auth_required": True,
        "auth_exclude_mechanism": [each for each in ("LOGIN", "PLAIN") if each != mechanism],
    }
    if begin == "implicit":
        return {**options, "auth_require_tls": False}, context
    return {**options, "tls_context": context, "require_starttls": True}, None


async def serve():
    handler = Handler()
    loop = asyncio.get_running_loop()
    options, implicit = {}, None
    if sys.argv[1:]:
        options, implicit = secured(*sys.argv[1:])
    factory = lambda: SMTP(handler, enable_SMTPUTF8=True, **options)
    server = await loop.create_server(factory, "127.0.0.1", 0, ssl=implicit)
    print(server.sockets[0].getsockname()[1], flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        handler.answer = line.strip() or handler.answer
        print("ok", flush=True)
    # Whoever started it is gone.
    os._exit(0)


asyncio.run(serve())
