import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The files of a certificate for servers of this machine. The certificate is its own authority. */
export interface Certificate {
  key: string;
  certificate: string;
}

/** Makes a certificate for localhost and 127.0.0.1 in a folder. */
export function makeCertificate(folder: string): Certificate {
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')];
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', ...made, '-days', '2', '-subj', '/CN=localhost', '-addext', names], {
    stdio: 'ignore',
  });
  return { key, certificate };
}
