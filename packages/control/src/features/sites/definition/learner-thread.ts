/** The thread that learns the API of one site after the other. */
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type LearnerQuestion, learnApi } from './learn-api.ts'

// Where both want a core, the API goes first. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
parentPort?.on('message', (question: LearnerQuestion) => parentPort?.postMessage(learnApi(question)))
parentPort?.postMessage('started')
