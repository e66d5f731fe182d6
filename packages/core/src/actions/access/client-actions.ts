import { PrivacyError } from '../../errors.js'
import { type Client, parseClient, parseClientScopes } from '../../model/client.js'
import type { ClientRow } from '../../ports/rows.js'
import type { Storage, Where } from '../../ports/storage.js'
import { beyondCeiling, defaultGrantable, type Grantor, grantCeiling } from '../../rules/policy/grant-ceiling.js'
import type { ActionContext } from '../action-context.js'
import {
  type ListOptions,
  listIssues,
  type Page,
  readPage,
  refuseIssues,
  searchCondition,
  searchTextOf,
} from '../paging.js'
import { auditActor, auditedTransaction, type NewAuditEntry, noteAudit } from '../proof/audit-actions.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { hashSecret, isClientId, newClientId, newSecret } from './client-credentials.js'

export interface ClientOptions {
  readonly rootClientId?: string | undefined
  /** A client may grant only the scopes that it has itself. */
  readonly grantOwnScopesOnly: boolean
}

/** The client on whose behalf a call is made. Without it, the host calls and may grant everything. */
export interface CallerOptions {
  /** A client's id. */
  readonly caller?: string
}

/** A client with the secret that is never shown again. */
export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

/** OAuth clients. The root client is not one of them: the options of the service define it. */
export function clientActions(context: ActionContext, { rootClientId, grantOwnScopesOnly }: ClientOptions) {
  const { storage, runtime } = context
  const table = storage.table('client')

  async function need(clientId: string): Promise<ClientRow> {
    const row = isClientId(clientId) ? await table.get(clientId) : undefined
    if (!row) throw clientNotFound(clientId)
    return row
  }

  async function grantorOf(caller: string | undefined): Promise<Grantor> {
    return caller === undefined || caller === rootClientId ? 'root' : need(caller)
  }

  /** Throws `forbidden`, naming the scope, when the grantor may not grant one of `wanted`. */
  function refuseBeyond(grantor: Grantor, wanted: readonly string[]): void {
    const scope = beyondCeiling(wanted, grantCeiling(grantor, grantOwnScopesOnly))
    if (scope === undefined) return
    const message = `This client may not grant the scope '${scope}': use one that may, or leave the scope out.`
    throw new PrivacyError('forbidden', message, { scope, reason: 'beyond_ceiling' })
  }

  /** Changes a client together with its entry in the audit trail. */
  async function change(
    clientId: string,
    caller: string | undefined,
    action: string,
    decide: (row: ClientRow, grantor: Grantor) => ClientRow,
  ): Promise<Client> {
    const changed = await untilWritten('client', clientId, async () => {
      const before = await need(clientId)
      const decided = decide(before, await grantorOf(caller))
      const row = { ...decided, updatedAt: runtime.now().toISOString(), version: before.version + 1 }
      const write = (within: Storage) => within.table('client').replace(row)
      return (await recorded(write, audit(row, caller, action))) ? row : undefined
    })
    return shown(changed)
  }

  const audit = (row: ClientRow, caller: string | undefined, action: string) => ({
    actor: auditActor(caller, rootClientId),
    action,
    subject: `client:${row.id}`,
    detail: { scopes: row.scopes, grantable_scopes: row.grantableScopes },
  })

  /** Writes the client and its entry, both or neither; false when another write came first. */
  function recorded(write: (within: Storage) => Promise<unknown>, entry: NewAuditEntry): Promise<boolean> {
    return tookEffect(() =>
      auditedTransaction(storage, async (within) => {
        if ((await write(within)) === false) return false
        await noteAudit(context, within, entry)
        return true
      }),
    )
  }

  return {
    async create(input: unknown, { caller }: CallerOptions = {}): Promise<Client & ClientCredentials> {
      const { value } = parseClient(input)
      const grantor = await grantorOf(caller)
      const grantableScopes = value.grantableScopes ?? defaultGrantable(grantor, value.scopes, grantOwnScopesOnly)
      refuseBeyond(grantor, [...value.scopes, ...grantableScopes])
      const clientSecret = newSecret(runtime)
      const clientId = newClientId(runtime)
      const now = runtime.now().toISOString()
      const row: ClientRow = {
        id: clientId,
        version: 1,
        clientId,
        ...(value.name !== undefined && { name: value.name }),
        scopes: value.scopes,
        grantableScopes,
        ...(caller !== undefined && { createdBy: caller }),
        createdAt: now,
        updatedAt: now,
        secretHash: hashSecret(clientSecret),
        searchText: searchTextOf(clientId, value.name),
      }
      if (!(await recorded((within) => within.table('client').insert(row), audit(row, caller, 'client_created')))) {
        // Ids are random: this happens when randomness has run dry. A client that was not stored must not get a secret.
        throw new PrivacyError('conflict', 'Another client has the new id: try again.', {
          kind: 'client',
          id: clientId,
        })
      }
      return { ...shown(row), clientSecret }
    },

    get: async (clientId: string): Promise<Client> => shown(await need(clientId)),

    async list(options: ListOptions = {}): Promise<Page<Client>> {
      refuseIssues(listIssues(options))
      return readPage<ClientRow, Where<'client'>, Client>(table, searchCondition(options.search), options, shown)
    },

    async setScopes(clientId: string, input: unknown, { caller }: CallerOptions = {}): Promise<Client> {
      const { value } = parseClientScopes(input)
      return change(clientId, caller, 'client_scopes_changed', (row, grantor) => {
        const added = value.scopes.filter((scope) => !row.scopes.includes(scope))
        const removed = row.scopes.filter((scope) => !value.scopes.includes(scope))
        const grantableScopes =
          value.grantableScopes ??
          (added.includes('client:create')
            ? defaultGrantable(grantor, value.scopes, grantOwnScopesOnly)
            : [...new Set([...row.grantableScopes, ...added])].filter((scope) => !removed.includes(scope)))
        const addedGrants = grantableScopes.filter((scope) => !row.grantableScopes.includes(scope))
        refuseBeyond(grantor, [...added, ...addedGrants])
        return { ...row, scopes: value.scopes, grantableScopes }
      })
    },

    async rotateSecret(clientId: string, { caller }: CallerOptions = {}): Promise<ClientCredentials> {
      const clientSecret = newSecret(runtime)
      await change(clientId, caller, 'client_secret_rotated', (row, grantor) => {
        if (caller !== clientId) refuseBeyond(grantor, [...row.scopes, ...row.grantableScopes])
        return { ...row, secretHash: hashSecret(clientSecret) }
      })
      return { clientId, clientSecret }
    },

    async remove(clientId: string, { caller }: CallerOptions = {}): Promise<void> {
      const row = await need(clientId)
      const taken = await auditedTransaction(storage, async (within) => {
        if (!(await within.table('client').take(clientId))) return false
        await noteAudit(context, within, audit(row, caller, 'client_deleted'))
        return true
      })
      if (!taken) throw clientNotFound(clientId)
    },
  }
}

function clientNotFound(clientId: string): PrivacyError<'not_found'> {
  const named = isClientId(clientId) ? `the id '${clientId}'` : 'this id'
  return new PrivacyError('not_found', `No client has ${named}.`, { kind: 'client', id: clientId.slice(0, 64) })
}

/** A client as callers see it, without the members that only the service needs. */
function shown({ id: _, version: __, secretHash: ___, searchText: ____, ...client }: ClientRow): Client {
  return client
}
