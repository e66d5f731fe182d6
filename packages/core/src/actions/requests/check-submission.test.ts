import { expect, test } from 'vitest'
import { createPrivacyService } from '../../service.js'

test('a misspelt policy is answered with the key that is near', async () => {
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  const submit = (policyKey: string) =>
    privacy.requests.submit({ policyKey, identities: [{ email: 'ann@example.com' }] }).catch((error) => error.details)
  expect(await submit('default_acess_policy')).toMatchObject({
    issues: [
      {
        loc: ['policyKey'],
        msg: "names no policy: none has the key 'default_acess_policy': the nearest known name is 'default_access_policy'",
      },
    ],
  })
  expect(await submit('all')).toMatchObject({ issues: [{ msg: "names no policy: none has the key 'all'" }] })
  await privacy.close()
})
