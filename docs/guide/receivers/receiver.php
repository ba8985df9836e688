<?php
// Recibe los avisos de los enlaces de pago · Receives the events of payment links.
//
// WEBHOOK_SECRET=… php -S 127.0.0.1:9000 receiver.php

declare(strict_types=1);

const AGE_SECONDS_MAX = 300;
const BODY_BYTES_MAX = 1 << 20;
const ASK_SECONDS_MAX = 5;

/** Sobre los bytes como llegaron, antes de leerlos · On the bytes as they came, before reading them. */
function is_authentic(string $body): bool
{
    // El secreto y, mientras dure una rotación, el anterior · The secret and, during a rotation, the former one.
    $secrets = array_filter([(string) getenv('WEBHOOK_SECRET'), (string) getenv('WEBHOOK_SECRET_OLD')]);
    $timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? '';
    $signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '';
    if (!preg_match('/\A[0-9]{1,15}\z/', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > AGE_SECONDS_MAX) {
        return false;
    }
    $is_known = false;
    foreach ($secrets as $secret) {
        $known = 'sha256=' . hash_hmac('sha256', $timestamp . '.' . $body, $secret);
        $is_known = hash_equals($known, $signature) || $is_known;
    }
    return $is_known;
}

/** Lo que dice el servicio; redirect_url no prueba nada · What the service says; redirect_url proves nothing. */
function is_paid(string $link): bool
{
    // Para preguntar de vuelta, si se quiere · To ask back, if wanted.
    [$cotejo, $key] = [(string) getenv('COTEJO'), (string) getenv('KEY')];
    if ($cotejo === '' || $key === '') {
        return true;
    }
    // La llave no va a otra parte · The key goes nowhere else.
    $limits = ['follow_location' => 0, 'timeout' => ASK_SECONDS_MAX];
    $context = stream_context_create(['http' => ['header' => "appKey: $key"] + $limits]);
    $answer = json_decode((string) @file_get_contents("$cotejo/paymentlink/$link/info", false, $context), true);
    return ($answer['data']['payment_link']['status'] ?? null) === 'paid';
}

/**
 * Si es la primera vez; null si no se pudo guardar. Un archivo por pago, que se crea una sola vez; en la tienda,
 * una clave única de su base de datos · Whether it is the first time; null if it could not be kept. A file for
 * each payment, which is created only once; in a shop, a unique key of its database.
 *
 * En la tienda: el pedido se busca por el id del enlace que usted guardó al crearlo, y se compara el monto; nunca por
 * metadata, que escribe quien haga el enlace. Lo que no es suyo: 204 y nada más · In a shop: find the order by the
 * link id that you kept when you made the link, and compare the amount; never by metadata, which the maker of a link
 * writes. What is not yours: 204 and nothing else.
 */
function record(string $link, string $reference): ?bool
{
    $folder = getenv('RECORD') ?: 'payments';
    if (!is_dir($folder) && !@mkdir($folder, 0700) && !is_dir($folder)) {
        return null;
    }
    $file = @fopen("$folder/$link-$reference", 'x');
    if ($file !== false) {
        return true;
    }
    return file_exists("$folder/$link-$reference") ? false : null;
}

/** Lo que se escribe · What is printed. */
function say(string $line): void
{
    file_put_contents('php://stdout', "$line\n");
}

/** El estado HTTP con que se responde · The HTTP status to answer with. */
function take(): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    $body = (string) file_get_contents('php://input', false, null, 0, BODY_BYTES_MAX + 1);
    if (strlen($body) > BODY_BYTES_MAX) {
        return 413;
    }
    if (!is_authentic($body)) {
        return 401;
    }
    $notice = json_decode($body, true);
    $status = $notice['status'] ?? null;
    $link = $notice['payment_link_id'] ?? null;
    $reference = $notice['user_bank_payment']['bank_reference_id'] ?? '';
    foreach ([$status, $link, $reference] as $text) {
        if (!is_string($text) || !preg_match('/\A\w*\z/', $text)) {
            return 400;
        }
    }
    // Vencido, fallido o anulado no es pagado · Expired, failed or called off is not paid.
    if ($status !== 'paid' || $reference === '') {
        say("$status $link: no es un pago / not a payment");
        return 204;
    }
    // Si se entrega también por el banco de prueba · Whether goods go out for the sandbox too.
    if (($notice['livemode'] ?? null) !== true && getenv('TEST') !== '1') {
        say("paid $link: de prueba, no es dinero / a test, no money");
        return 204;
    }
    if (!is_paid($link)) {
        return 503;
    }
    $is_first = record($link, $reference);
    if ($is_first === null) {
        return 500;
    }
    // Lo repetido también es un éxito · What is repeated is a success too.
    if ($is_first) {
        // Desde el registro se entrega, una vez · From the record it is delivered, once.
        say("paid $link $reference");
    }
    return 204;
}

http_response_code(take());
