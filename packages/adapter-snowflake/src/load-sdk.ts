import type snowflake from 'snowflake-sdk'

type Sdk = typeof snowflake

const detection = 'SNOWFLAKE_DISABLE_PLATFORM_DETECTION'

const nothing = () => {}
const silent = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing }

let loading: Promise<Sdk> | undefined

/** The driver, loaded when the first session is opened, and silent: by default it logs to the console and to a file. */
export function loadSdk(): Promise<Sdk> {
  loading ??= load()
  return loading
}

async function load(): Promise<Sdk> {
  const before = process.env[detection]
  // while it is loaded the driver would otherwise ask the metadata services of three clouds where it runs
  process.env[detection] = 'true'
  try {
    const { default: sdk } = await import('snowflake-sdk')
    silence(sdk)
    return sdk
  } finally {
    if (before === undefined) delete process.env[detection]
    else process.env[detection] = before
  }
}

/** A configuration file of the machine may switch logging on while a session is opened. */
export function silence(sdk: Sdk): void {
  sdk.configure({ logLevel: 'OFF', additionalLogToConsole: false, customLogger: silent })
}
