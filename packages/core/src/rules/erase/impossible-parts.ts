import type { Column } from '../../model/catalogue.js'
import type { MaskingStrategy } from '../../model/masking-strategy.js'
import type { Finding } from '../findings/finding.js'
import type { CollectionNode, FieldNode } from '../plan/collection-node.js'
import { sealedColumn } from '../plan/dataset-graph.js'
import type { PlannedMask } from '../plan/plan.js'
import { rewrittenText } from './masker.js'

/** What no statement could do, told from types, keys and rules of the live table alone. */
export function impossibleParts(node: CollectionNode, field: FieldNode, mask: Omit<PlannedMask, 'rule'>): Finding[] {
  const { column, path } = field
  const name = mask.strategy.strategy
  const guess = mask.inferred
    ? ` It is taken for '${mask.dataCategories[0]}' by its name: say 'reviewed' of it if it holds none.`
    : ''
  const fault = (message: string) => impossiblePart(node, field, message + guess)
  const isColumn = path.length === 1 && column !== undefined && !node.live?.schemaless
  const text = givesText(mask.strategy)
  const notText = `cannot take the text that '${name}' gives`
  const instead = `name 'null_rewrite' as its masking_strategy, or keep it with 'retain' or 'read_only'`
  if (!isColumn) {
    const kind = field.field.service_meta.data_type && field.kind
    return text && kind && kind !== 'string' ? [fault(`${notText}, since it holds ${kind}: ${instead}.`)] : []
  }
  const found: Finding[] = []
  if (column.generated) {
    found.push(
      fault(
        `is computed by the database and cannot be written: keep it with 'read_only', and erase what it is computed from.`,
      ),
    )
  }
  if (text && column.kind !== 'string') found.push(fault(`${notText}, since its type is ${column.type}: ${instead}.`))
  const oneOfThem = `'string_rewrite' with one of the texts of its type ${column.type}`
  if (text && isUnlisted(column, mask)) {
    const way = `${column.nullable ? `name 'null_rewrite', or` : 'name'} ${oneOfThem}`
    found.push(fault(`${notText}, since it holds listed texts only: ${way}, or keep it with 'retain' or 'read_only'.`))
  }
  if (name === 'null_rewrite' && !column.nullable && !column.array) {
    const textual = column.values
      ? `name ${oneOfThem}`
      : `name a strategy that gives text, such as 'random_string_rewrite'`
    const way =
      column.kind === 'string'
        ? `${textual}, or keep it with 'retain' or 'read_only'`
        : `keep it with 'retain' or 'read_only', erase whole rows with erase: "delete", or let the column be NULL`
    found.push(fault(`cannot become NULL, since its column is NOT NULL: ${way}.`))
  }
  const keys = node.live ? [node.live.primaryKey, ...node.live.uniqueKeys] : []
  if (name === 'string_rewrite' && keys.some((key) => key.length === 1 && key[0] === column.name)) {
    found.push(
      fault(
        `cannot become the same text in every row, since its column is unique: name 'random_string_rewrite' or 'hash'.`,
      ),
    )
  }
  const foreign = node.live?.foreignKeys.find(({ columns }) => columns.includes(column.name))
  if (text && foreign) {
    found.push(
      fault(`takes keys of '${foreign.references.collection}' only (foreign key '${foreign.name}'): ${instead}.`),
    )
  }
  return found
}

/** A member that nothing can be found of, whatever the column holds: it must not pass for one that holds nothing. */
export function sealedParts(node: CollectionNode, field: FieldNode): Finding[] {
  const holder = sealedColumn(node, field)
  if (!holder) return []
  const way = `describe '${holder.name}' itself, without fields of its own, and give it the data_categories`
  const message = `cannot be told apart, since the type of '${holder.name}' is ${holder.type}, which holds no fields: ${way}.`
  return [impossiblePart(node, field, message)]
}

/** `message` goes on after the name of the field. */
function impossiblePart(node: CollectionNode, field: FieldNode, message: string): Finding {
  return {
    type: 'erasure_impossible',
    severity: 'error',
    loc: [node.dataset.service_key, node.collection.name, field.name],
    message: `'${node.address}.${field.name}' ${message}`,
  }
}

/** Strategies whose result is text whatever was there. */
function givesText({ strategy }: MaskingStrategy): boolean {
  return strategy !== 'null_rewrite' && strategy !== 'preserve' && strategy !== 'delete'
}

/** Whether an enumeration has no such text as a strategy gives. */
function isUnlisted({ values }: Column, { strategy, maxLength }: Pick<PlannedMask, 'strategy' | 'maxLength'>): boolean {
  if (!values) return false
  return strategy.strategy !== 'string_rewrite' || !values.includes(rewrittenText(strategy, maxLength))
}
