// A shop's receiver of webhooks.
import { createServer } from 'node:http';

/** Opens one that answers with that status, until it is given another. */
export async function openReceiver(status) {
  const receiver = { received: [], status };
  const server = createServer((request, answer) => {
    let body = '';
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
      receiver.received.push(JSON.parse(body));
      answer.writeHead(receiver.status).end('{}');
    });
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
  receiver.url = `http://127.0.0.1:${server.address().port}/hook`;
  receiver.close = () => { server.close(); server.closeAllConnections(); };
  return receiver;
}
