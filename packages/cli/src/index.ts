export { type Config, type ConnectionSettings, defineConfig } from './config/config.js'
