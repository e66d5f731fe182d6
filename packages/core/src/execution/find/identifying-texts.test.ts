import { expect, it } from 'vitest'
import { objectId } from '../../model/value.js'
import { identifyingTexts } from './identifying-texts.js'

const ann = { email: 'Ann@X.org' }
const id = 'a0eebc99a0eebc99a0eebc99'

it.each([
  ['an address in any letters', [ann], ' ann@x.ORG\n', true],
  ['a text around it', [ann], 'write to Ann@X.org', false],
  ['an address beside other properties', [{ ...ann, name: 'Ann' }], 'ann@x.org', true],
  ['what counts only together with another property', [{ ...ann, name: 'Green' }], 'Green', false],
  ['what is an identity by itself', [{ handle: 'ann-1' }], 'ann-1', true],
  ['it in other letters', [{ handle: 'ann-1' }], 'Ann-1', false],
  ['a few digits', [{ user_id: '7' }], '7', false],
  ['many', [{ phone_number: '5551234' }], '5551234', true],
  ['a number', [{ user_id: 7 }], 7, false],
  ['an id that has a type of its own', [{ user_id: id }], objectId(id), true],
  ['nothing', [{ email: ' ' }], '', false],
])('%s', (_, identities, value, isFound) => {
  expect(identifyingTexts(identities as never)([1, value], ['id', 'text'])).toEqual(isFound ? ['text'] : [])
})

it('names members of objects, those of lists once', () => {
  const contact = {
    mail: 'ann@x.org',
    others: [{ mail: 'ann@x.org' }, { mail: 'ann@x.org' }, null],
  }
  expect(identifyingTexts([ann])([contact], ['contact'])).toEqual(['contact.mail', 'contact.others.mail'])
})
