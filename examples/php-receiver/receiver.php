<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const FOLDER = __DIR__ . '/data';

/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, where body is the exact bytes that arrived. */
function isGenuine(string $id, string $body, string $secret): bool
{
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $isFound = false;
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        $isFound = hash_equals($expected, $signature) || $isFound;
    }
    return $isFound;
}

/**
 * Stores an event as data/{id}.json and returns false if it is there already. `link` creates the whole file or nothing,
 * and fails if another request was first.
 */
function storeOnce(string $id, string $body): bool
{
    is_dir(FOLDER) || mkdir(FOLDER);
    $path = FOLDER . '/' . basename($id) . '.json';
    $temporary = tempnam(FOLDER, 'new-');
    $isStored = file_put_contents($temporary, $body) === strlen($body) && @link($temporary, $path);
    unlink($temporary);
    if (!$isStored && !is_file($path)) {
        throw new RuntimeException("Event $id was not stored.");
    }
    return $isStored;
}

/** Returns the HTTP status. Every answer but 2xx makes Nexkit deliver the event again later. */
function receive(string $id, string $body): int
{
    if ([$_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI']] !== ['POST', '/hooks']) {
        return 404;
    }
    if (!isGenuine($id, $body, getenv('WEBHOOK_SECRET') ?: throw new RuntimeException('Set WEBHOOK_SECRET.'))) {
        return 401;
    }
    $event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
    if ($event['test'] ?? false) {
        return 204;
    }
    error_log(storeOnce($id, $body) ? "$id {$event['type']}: stored" : "$id {$event['type']}: known");
    return 204;
}

try {
    // The id of the event, the same on every delivery of it.
    http_response_code(receive($_SERVER['HTTP_WEBHOOK_ID'] ?? '', file_get_contents('php://input')));
} catch (Throwable $error) {
    error_log((string) $error);
    http_response_code(500);
}
