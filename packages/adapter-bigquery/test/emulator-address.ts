/**
 * The address of an emulator. Google's client sends everything to it while it is in the environment, the calls to the
 * double as well, so it is taken out of it. Several suites share a process, and a module is evaluated once.
 */
export const emulatorAddress = process.env['BIGQUERY_EMULATOR_HOST']
delete process.env['BIGQUERY_EMULATOR_HOST']
