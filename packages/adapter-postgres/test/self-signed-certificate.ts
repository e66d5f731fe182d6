import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A key pair and a certificate that it signed itself, as PEM, for the given host name and for 127.0.0.1. */
export function selfSignedCertificate(host: string): { key: string; certificate: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(set(sequence(objectId(commonName), utf8(host))))
  const algorithm = sequence(objectId(ecdsaWithSha256))
  const alternatives = sequence(tagged(0x82, Buffer.from(host)), tagged(0x87, Buffer.from([127, 0, 0, 1])))
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(-86_400_000), time(86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        sequence(objectId(basicConstraints), octets(sequence(tagged(0x01, Buffer.from([0xff]))))),
        sequence(objectId(subjectAlternativeName), octets(alternatives)),
      ),
    ),
  )
  const signature = sign('sha256', content, privateKey)
  const certificate = sequence(content, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

/** Object identifiers in their encoded form. */
const commonName = [0x55, 0x04, 0x03]
const basicConstraints = [0x55, 0x1d, 0x13]
const subjectAlternativeName = [0x55, 0x1d, 0x11]
const ecdsaWithSha256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]) => tagged(0x30, Buffer.concat(parts))
const set = (...parts: Buffer[]) => tagged(0x31, Buffer.concat(parts))
const integer = (bytes: Buffer) => tagged(0x02, bytes)
const octets = (content: Buffer) => tagged(0x04, content)
const utf8 = (text: string) => tagged(0x0c, Buffer.from(text))
const objectId = (bytes: number[]) => tagged(0x06, Buffer.from(bytes))

function time(fromNowMs: number): Buffer {
  const text = new Date(Date.now() + fromNowMs).toISOString().replace(/[-:T]|\.\d+/g, '')
  return tagged(0x18, Buffer.from(text))
}
