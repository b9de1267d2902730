/** A file to send: a `File` or `Blob`, or bytes or text with a name. The ending of the name says what it is unless `type` does. */
export type FileInput = Blob | { name: string; data: Uint8Array | ArrayBuffer | string; type?: string | undefined }

/** The form that the API takes files in. */
export function formOf(file: FileInput): FormData {
  const form = new FormData()
  if (file instanceof Blob) form.append('file', file)
  else form.append('file', new Blob([file.data as BlobPart], { type: file.type ?? '' }), file.name)
  return form
}
