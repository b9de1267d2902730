/** As in package.json, which an installed package cannot read everywhere. */
export const VERSION = '0.1.0'
