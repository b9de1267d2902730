import { defineError } from '../kernel/errors.ts'

export const sandboxRequired = defineError({
  code: 'sandbox_required',
  status: 409,
  title: 'Sandbox required',
  says: 'Only a sandbox can be reset, and only its clock can be moved. Create the sandbox of this organization first.',
  cause: 'The organization is live and has no sandbox. Its data and its deadlines are real.',
  fix: 'Create the sandbox in the settings of the console, or with `npx nexkit org sandbox --org <slug>`.',
})
