"""A shop written against the client that openapi-python-client makes of the document: the journey of the guide that
integrates a shop, its refusals, and the webhooks that it receives. Every answer is an object of a class, or nothing."""

import json
import os
from datetime import datetime, timezone
from typing import Any, TypeVar

import attrs
from shop_client import AuthenticatedClient, Client, models
from shop_client.api.bank_accounts import link_bank_account, list_bank_accounts
from shop_client.api.keys import create_key
from shop_client.api.payment_links import create_link, show_link
from shop_client.api.payments import verify
from shop_client.api.sessions import login
from shop_client.types import Response

T = TypeVar("T")


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise SystemExit(f"{what} is {found!r}, not {wanted!r}")


def known(what: str, value: Any, kind: type[T]) -> T:
    """The value, which is of that class and has no field that its class does not know."""
    if not isinstance(value, kind):
        raise SystemExit(f"{what} is {value!r}, no {kind.__name__}")
    unknown(what, value)
    return value


def unknown(what: str, value: Any) -> None:
    if isinstance(value, list):
        for one in value:
            unknown(what, one)
    # What has no field of its own may have any.
    fields = attrs.fields_dict(type(value)) if attrs.has(type(value)) else {}
    if len(fields) > 1:
        expect(f"what the class of {what} does not know", value.additional_properties, {})
    for name in fields:
        if name != "additional_properties":
            unknown(f"{what}.{name}", getattr(value, name))


def done(what: str, response: Response[Any], kind: type[T]) -> T:
    expect(f"the status of {what}", (response.status_code, response.content), (200, response.content))
    return known(what, response.parsed, kind)


SERVICE = os.environ["SERVICE"]
# What a proxy of this machine would do is no matter of the service.
DIRECT = {"trust_env": False}


def by(credential: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=SERVICE, token=credential, httpx_args=DIRECT)


# A key, by the session of the person who signs in.
person = models.LoginRequest(email=os.environ["EMAIL"], password=os.environ["PASSWORD"])
nobody = Client(base_url=SERVICE, httpx_args=DIRECT)
signed_in = done("signing in", login.sync_detailed(client=nobody, body=person), models.SessionOpened)
permission = models.CreateKeyRequestPermissionsType0Item
permissions = ["payment_verifications", "payment_links", "bank_accounts_manage", "integrations"]
body = models.CreateKeyRequest(name="tienda", permissions=[permission(name) for name in permissions])
made = done("a key", create_key.sync_detailed(client=by(signed_in.token), body=body), models.KeyCreated)
shop = by(made.api_key.api_key)

# The account that is paid.
body = models.LinkBankAccountRequest(bank_provider="BANK_TEST")
linked = done("an account", link_bank_account.sync_detailed(client=shop, body=body), models.AccountLinked)
accounts = done("the accounts", list_bank_accounts.sync_detailed(client=shop), models.AccountsListed)
account = next(one for one in accounts.user_banks if one.id == linked.userbank.id)
expect("the platform", account.platform, "BANK_TEST")

# A payment is new once.
body = models.VerifyRequest(bank_reference="0000067890", amount=150.75)
first = verify.sync_detailed(account.id, client=shop, body=body, idempotency_key="1742")
first = done("a payment", first, models.PaymentConfirmed).data
expect("the first report", first.is_new, True)
expect("the amount", first.user_bank_payment.amount, 150.75)
again = verify.sync_detailed(account.id, client=shop, body=body)
again = done("it again", again, models.PaymentConfirmed).data
expect("the report of it again", again.is_new, False)
expect("the payment", again.user_bank_payment.id, first.user_bank_payment.id)

# What no bank shows is refused by an object of a class, whose code is one of a few.
body = models.VerifyRequest(bank_reference="123456", amount=20.0)
response = verify.sync_detailed(account.id, client=shop, body=body)
refused = known("the refusal", response.parsed, models.Refusal404NotFoundPaymentNotFound)
codes = models.Refusal404NotFoundPaymentNotFoundError
expect("the codes", {code.value for code in codes}, {"NOT_FOUND", "PAYMENT_NOT_FOUND"})
expect("the code", refused.error, codes.PAYMENT_NOT_FOUND)
expect("its status", response.status_code, 404)
expect("its request", refused.request_id, response.headers["x-request-id"])

# What is wrong with a request is said field by field.
body = models.VerifyRequest(bank_reference="", amount=20.0)
response = verify.sync_detailed(account.id, client=shop, body=body)
wrong = known("the other refusal", response.parsed, models.Refusal400OfVerify)
expect("its code", wrong.error, models.Refusal400OfVerifyError.VALIDATION_ERROR)
expect("the fields", [detail.field for detail in wrong.details or []], ["bank_reference"])

# Or a link is sent, and read.
body = models.CreateLinkRequest(amount=150.75, description="Pedido 1744", user_bank_id=account.id)
link = create_link.sync_detailed(client=shop, body=body, idempotency_key="1744")
link = done("a link", link, models.PaymentLinkAnswer).paymentlink
shown = done("the link", show_link.sync_detailed(link.id, client=shop), models.PaymentLinkShown)
expect("its state", shown.data.payment_link.status, models.PaymentLinkStatus.PENDING)
expect("its address", shown.data.payment_link.url, link.url)


# The webhooks, as a receiver reads their bodies.
with open("openapi.json", encoding="utf-8") as file:
    webhooks = json.load(file)["webhooks"]


def received(name: str, kind: type[T]) -> T:
    content = webhooks[name]["post"]["requestBody"]["content"]["application/json"]
    expect(f"the shape of {name}", content["schema"]["$ref"].rsplit("/", 1)[1], kind.__name__)
    return known(name, kind.from_dict(content["example"]), kind)


for name in webhooks:
    if name.startswith("payment_link."):
        ended = received(name, models.PaymentLinkEvent)
        expect(f"the state of {name}", f"payment_link.{ended.status}", name)
        expect(f"the kind of {name}", ended.type_.value, name)
        expect(f"the time of {name}", ended.created_at.tzinfo, timezone.utc)
paid = received("payment_link.paid", models.PaymentLinkEvent)
expect("the link", paid.payment_link.id, paid.payment_link_id)
expect("whether it was paid", paid.status, models.PaymentLinkEventStatus.PAID)
# The payment and the link are those of every answer.
known("the link of an event", paid.payment_link, models.PaymentLink)
payment = known("the payment of an event", paid.user_bank_payment, models.BankPayment)
if not payment.price:
    raise SystemExit("a link in dollars was paid without a price")
expect("what the bank credited", payment.amount, 22_275.0)
expect("the price", (payment.price.amount, payment.price.currency.value), (25.0, "USD"))
failed = received("payment_link.failed", models.PaymentLinkEvent)
expect("the payment of what failed", failed.user_bank_payment, None)
reminder = received("subscription.reminder", models.SubscriptionReminder)
known("the time of a reminder", reminder.created_at, datetime)
expect("the day of it", reminder.data.day, -3)
