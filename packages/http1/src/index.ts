export { type BodyGrammar, type BodyHandler, BodyReader } from './body-reader.ts'
export { HEAD_END, isToken, readFieldLines } from './field-lines.ts'
export { FramingError, TruncatedError } from './framing-error.ts'
export { httpDate } from './http-date.ts'
export { ReadAhead } from './read-ahead.ts'
export {
  type FieldBlock,
  type ParsedRequestHead,
  parseRequestHead,
  STRAY_BYTES,
  STRICT_CHUNK_SIZE_LINE,
} from './request-head.ts'
export { ABSOLUTE_FORM, originFormOf } from './request-target.ts'
export { type ReadResponseHead, type ResponseHead, readResponseHead } from './response-head.ts'
export { type ResponseHandler, ResponseParser } from './response-parser.ts'
export { CHUNK_END, chunkStart, fieldLines, lastChunk, responseHead, responseHeadLines } from './writer.ts'
