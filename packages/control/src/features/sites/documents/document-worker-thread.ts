/** The thread that works with stored documents, one task after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { answerTask, type DocumentTask } from './document-tasks.ts'

// Where both want a core, the API goes first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
parentPort?.on('message', (task: DocumentTask) => parentPort?.postMessage(answerTask(task)))
parentPort?.postMessage('started')
