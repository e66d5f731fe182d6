import type { PrivacyServiceOptions } from '@habeas/core'

/** What `habeas.config.ts` exports. */
export interface Config {
  /** Files of manifests (YAML or JSON), and folders of them, from the folder of the configuration on. Default: `habeas`. */
  readonly files?: readonly string[]
  /** Databases, by the key that datasets name in their `connection_key`. */
  readonly connections?: Readonly<Record<string, ConnectionSettings>>
  /**
   * Options of `createPrivacyService`. Commands that only read keep nothing, whatever `storage` is; `request`, `holds` and `push`
   * use it. Without a `storage` a key is made for each command where none is given.
   */
  readonly service?: PrivacyServiceOptions
}

export interface ConnectionSettings {
  /** The kind of database, such as `postgres`. */
  readonly type: string
  /** `write`: requests may erase there. Default: `read`. */
  readonly access?: 'read' | 'write'
  /** As the README of the adapter lists them. Take them from the environment. */
  readonly secrets?: Readonly<Record<string, unknown>>
}

/** Gives the configuration back. It is there for its types. */
export function defineConfig(config: Config): Config {
  return config
}
