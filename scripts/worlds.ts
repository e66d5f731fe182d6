/**
 * Tries many random worlds whose truth only the test knows: `npm run worlds`, 5,000 each for access, masking and deletion,
 * or as many as HABEAS_WORLDS says. Others each time; what fails tells its HABEAS_SEED.
 */
import { spawnSync } from 'node:child_process'

const env = { HABEAS_WORLDS: '5000', ...process.env }
const { status } = spawnSync('node_modules/.bin/vitest', ['run', '--project', 'core', 'worlds.property'], {
  ...{ stdio: 'inherit', env },
})
process.exitCode = status ?? 1
