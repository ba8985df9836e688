"""Recibe los avisos de los enlaces de pago · Receives the events of payment links.

WEBHOOK_SECRET=… python3 receiver.py 9000
"""

import hashlib
import hmac
import json
import os
import re
import sqlite3
import sys
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# El secreto y, mientras dure una rotación, el anterior · The secret and, during a rotation, the former one.
SECRETS = [s for s in (os.environ["WEBHOOK_SECRET"], os.environ.get("WEBHOOK_SECRET_OLD")) if s]
# Para preguntar de vuelta, si se quiere · To ask back, if wanted.
COTEJO, KEY = os.environ.get("COTEJO"), os.environ.get("KEY")
# Si se entrega también por el banco de prueba · Whether goods go out for the sandbox too.
TEST = os.environ.get("TEST") == "1"
# El registro propio; en la tienda, su base de datos · The record of one's own; in a shop, its database.
RECORD = os.environ.get("RECORD", "payments") + ".sqlite"

AGE_SECONDS_MAX = 300
BODY_BYTES_MAX = 1 << 20
ASK_SECONDS_MAX = 5


def is_authentic(headers, body):
    """Sobre los bytes como llegaron, antes de leerlos · On the bytes as they came, before reading them."""
    timestamp = headers.get("X-Service-Timestamp", "")
    signature = headers.get("X-Service-Signature", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 16):
        return False
    if abs(time.time() - int(timestamp)) > AGE_SECONDS_MAX:
        return False
    signed = timestamp.encode() + b"." + body
    known = ["sha256=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in SECRETS]
    return any([hmac.compare_digest(one.encode(), signature.encode()) for one in known])


class Nowhere(urllib.request.HTTPRedirectHandler):
    """La llave no va a otra parte · The key goes nowhere else."""

    def redirect_request(self, *_):
        return None


def is_paid(link):
    """Lo que dice el servicio; redirect_url no prueba nada · What the service says; redirect_url proves nothing."""
    if not (COTEJO and KEY):
        return True
    question = urllib.request.Request(f"{COTEJO}/paymentlink/{link}/info", headers={"appKey": KEY})
    with urllib.request.build_opener(Nowhere).open(question, timeout=ASK_SECONDS_MAX) as answer:
        return json.load(answer)["data"]["payment_link"]["status"] == "paid"


# En la tienda: el pedido se busca por el id del enlace que usted guardó al crearlo, y se compara el monto; nunca por
# metadata, que escribe quien haga el enlace. Lo que no es suyo: 204 y nada más · In a shop: find the order by the link
# id that you kept when you made the link, and compare the amount; never by metadata, which the maker of a link
# writes. What is not yours: 204 and nothing else.
def record(link, reference):
    """Si es la primera vez. La clave única decide · Whether it is the first time. The unique key decides."""
    database = sqlite3.connect(RECORD)
    try:
        with database:
            database.execute(
                "create table if not exists payments"
                " (link text, reference text, primary key (link, reference))"
            )
            row = (link, reference)
            return database.execute("insert or ignore into payments values (?, ?)", row).rowcount == 1
    finally:
        database.close()


def take(headers, body):
    """El estado HTTP con que se responde · The HTTP status to answer with."""
    if not is_authentic(headers, body):
        return 401
    try:
        notice = json.loads(body)
        status, link = notice["status"], notice["payment_link_id"]
        payment = notice["user_bank_payment"]
        reference = payment["bank_reference_id"] if payment else ""
        if not all(re.fullmatch(r"[0-9A-Za-z_]*", text) for text in (status, link, reference)):
            return 400
    except (ValueError, KeyError, TypeError):
        return 400
    # Vencido, fallido o anulado no es pagado · Expired, failed or called off is not paid.
    if status != "paid" or not reference:
        print(f"{status} {link}: no es un pago / not a payment", flush=True)
        return 204
    if notice.get("livemode") is not True and not TEST:
        print(f"paid {link}: de prueba, no es dinero / a test, no money", flush=True)
        return 204
    try:
        if not is_paid(link):
            return 503
        # Lo repetido también es un éxito · What is repeated is a success too.
        if record(link, reference):
            # Desde el registro se entrega, una vez · From the record it is delivered, once.
            print("paid", link, reference, flush=True)
    except sqlite3.Error:
        return 500
    except (OSError, ValueError, KeyError, TypeError):
        return 503
    return 204


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            status = 411
        elif len(length) > 9 or int(length) > BODY_BYTES_MAX:
            status = 413
        else:
            status = take(self.headers, self.rfile.read(int(length)))
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
