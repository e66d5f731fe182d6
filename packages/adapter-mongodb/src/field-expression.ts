import type { EmptyField } from '@habeas/core'
import { type Document, ObjectId } from 'mongodb'
import { spellingsOf } from './bson-value.js'

/**
 * Whether the language of `find` can name the field: elsewhere a dot leads into an object, a dollar is an operator, and
 * digits are also a position in a list.
 */
export function isPlain(name: string): boolean {
  return name !== '' && !name.startsWith('$') && !/[.\0]|^\d+$/.test(name)
}

/** The member with exactly this name, whatever characters it has. */
export function member(name: string, of: unknown = '$$ROOT'): Document {
  return { $getField: { field: { $literal: name }, input: of } }
}

/** A value that is never an operator, a path or a variable. */
export function literal(value: unknown): Document {
  return { $literal: value }
}

/** Every value to which a path leads, through objects and elements of lists, as a list. */
export function valuesAt([column, ...rest]: readonly string[]): Document {
  return rest.reduce<Document>(
    (values, name) => ({
      $reduce: {
        input: values,
        initialValue: [],
        in: {
          $concatArrays: [
            '$$value',
            { $cond: [{ $eq: [{ $type: '$$this' }, 'object'] }, elements(member(name, '$$this')), []] },
          ],
        },
      },
    }),
    elements(member(column as string)),
  )
}

/** A value as a list: its elements, and the elements of lists among them. Nothing where it is absent. */
function elements(value: Document): Document {
  const listed = (of: string) => ({ $cond: [{ $isArray: of }, of, [of]] })
  return {
    $let: {
      vars: { held: value },
      in: {
        $cond: [
          { $eq: [{ $type: '$$held' }, 'missing'] },
          [],
          {
            $reduce: {
              input: listed('$$held'),
              initialValue: [],
              in: { $concatArrays: ['$$value', listed('$$this')] },
            },
          },
        ],
      },
    },
  }
}

/** All that `String.prototype.trim` takes for blank. */
const blanks =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

const isNumberText = { $regexMatch: { input: '$$each', regex: '^-?[0-9]+([.][0-9]+)?(?![\\s\\S])' } }

/** That all values at the path are null, blank or placeholders. */
export function isEmpty({ path, placeholders = [] }: EmptyField): Document {
  const texts = ['', ...placeholders.map(String)]
  const others = placeholders.flatMap((placeholder) => {
    const { plain, decimals } = spellingsOf(placeholder, typeof placeholder === 'string' ? 'decimal' : undefined)
    const isId = typeof placeholder === 'string' && /^[0-9a-f]{24}$/i.test(placeholder)
    return [...plain, ...decimals, ...(isId ? [new ObjectId(placeholder)] : [])]
  })
  const isText = { $eq: [{ $type: '$$each' }, 'string'] }
  const numbers = placeholders.filter((placeholder) => typeof placeholder === 'number')
  const written = { $convert: { input: '$$each', to: 'double', onError: null } }
  const isNoText = {
    $or: [
      { $eq: [{ $trim: { input: '$$each', chars: blanks } }, ''] },
      { $in: ['$$each', literal(texts)] },
      ...(numbers.length > 0 ? [{ $and: [isNumberText, { $in: [written, literal(numbers)] }] }] : []),
    ],
  }
  const isNothing = { $or: [{ $eq: ['$$each', null] }, { $in: ['$$each', literal(others)] }] }
  return {
    $allElementsTrue: [{ $map: { input: valuesAt(path), as: 'each', in: { $cond: [isText, isNoText, isNothing] } } }],
  }
}
