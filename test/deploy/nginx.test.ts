import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BASE, temporaryFolder } from '../helper.ts';
import { PASSWORD, start, startServer, USER, until } from './processes.ts';
import { findProgram, freePort, ROOT, runProgram, without } from './tools.ts';

test('below /toolcrib/ of nginx everything works', {
  skip: without('nginx', 'openssl', 'curl'),
}, async (t) => {
  const server = await startServer(t);
  const { origin, folder, accessLog } = await startNginx(t, server.port);
  const base = `${origin}/toolcrib`;
  const curl = (...args: string[]) =>
    runProgram('curl', ['--silent', '--show-error', '--cacert', join(folder, 'crt'), ...args]);
  const get = (url: string) => curl('-u', `${USER}:${PASSWORD}`, '--fail', url);

  await t.test('API, probes and HTTP/2', () => {
    assert.equal(JSON.parse(get(`${base}${BASE}/tools/tool-abc123`)).success, true);
    assert.equal(JSON.parse(curl(`${base}/readyz`)).data.status, 'ready');
    const head = curl('-o', '/dev/null', '-w', '%{http_version} %{http_code}', `${base}/livez`);
    assert.equal(head, '2 200');
  });

  await t.test('the document names the base path, whatever a client claims', () => {
    const { servers, paths } = JSON.parse(
      curl('-H', 'X-Forwarded-Prefix: /evil', `${base}/openapi.json`),
    );
    assert.equal(servers[0].url, '/toolcrib');
    const path = `${servers[0].url}${Object.keys(paths).find((each) => each === `${BASE}/tools`)}`;
    assert.equal(JSON.parse(get(`${origin}${path}`)).success, true);
  });

  for (const page of ['/docs', '/docs/']) {
    await t.test(`${page} loads all it needs from below the base path`, () => {
      const pageUrl = `${base}${page}`;
      const html = curl('--fail', pageUrl);
      const urls = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url);
      assert.ok(urls.length >= 5);
      const script = urls.find((url) => url.endsWith('swagger-initializer.js')) ?? '';
      for (const url of urls) {
        const { href } = new URL(url, pageUrl);
        assert.ok(href.startsWith(`${base}/`), href);
        curl('--fail', '-o', '/dev/null', href);
      }
      assert.match(curl(new URL(script, pageUrl).href), /json/);
      const { servers } = JSON.parse(curl('--fail', `${base}/docs/json`));
      assert.equal(new URL(servers[0].url, `${base}/docs/json`).href, `${base}/`);
    });
  }

  await t.test('a redirect names no host, and no answer one of the inside', () => {
    const head = curl('--head', `${origin}/toolcrib`);
    assert.match(head, /^location: \/toolcrib\/\r$/m);
    for (const path of ['/', '/docs', '/docs/', '/openapi.json', `${BASE}/tools`, '/none']) {
      const answer = curl('-i', '-u', `${USER}:${PASSWORD}`, `${base}${path}`);
      assert.ok(!answer.includes('127.0.0.1') && !answer.includes(String(server.port)), path);
      assert.doesNotMatch(answer, /^location:/im);
    }
  });

  await t.test('its log has no credentials, users or query strings', async () => {
    get(`${base}${BASE}/tools?search=secret-words`);
    const log = () => readFileSync(accessLog, 'utf8');
    assert.match(log(), /"GET \S+\/tools" 200 /);
    for (const secret of [USER, 'secret-words', 'Basic']) assert.ok(!log().includes(secret));
  });
});

/** Debian's nginx with the file of this project; only ports, paths and the certificate are others. */
async function startNginx(t: TestContext, upstreamPort: number) {
  const folder = temporaryFolder(t);
  const port = await freePort();
  mkdirSync(join(folder, 'tmp'));
  const file = (name: string) => join(folder, name);
  runProgram('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
    ...['-keyout', file('key'), '-out', file('crt')],
  ]);
  const site = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8')
    .replace('127.0.0.1:9200', `127.0.0.1:${upstreamPort}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('tools.example;', 'localhost;')
    .replace('/etc/nginx/tls/tools.example.crt', file('crt'))
    .replace('/etc/nginx/tls/tools.example.key', file('key'))
    .replace('/var/log/nginx/toolcrib.log', file('access.log'));
  writeFileSync(file('site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${file('tmp')}/${name};`)
    .join('\n');
  writeFileSync(
    file('nginx.conf'),
    `daemon off; master_process off; pid ${file('pid')}; error_log stderr;
events {}
http {
${temporary}
include ${file('site.conf')};
}`,
  );
  const nginx = findProgram('nginx') ?? 'nginx';
  // One process, so that no worker outlives it.
  const running = start(t, nginx, ['-p', folder, '-c', file('nginx.conf'), '-e', 'stderr']);
  const origin = `https://localhost:${port}`;
  const answers = () => {
    const args = ['--silent', '--insecure', '-o', '/dev/null', `${origin}/toolcrib/livez`];
    try {
      runProgram('curl', args);
      return true;
    } catch {
      return false;
    }
  };
  await until(answers, running);
  return { origin, folder, accessLog: file('access.log') };
}
