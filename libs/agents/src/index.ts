export { mergePatch } from './state/merge-patch.js';
export { valueAtPath, withValueAt } from './state/state-path.js';
export { readMessage, type MessageCall, type MessageFault, type ReadMessage } from './translate/read-message.js';
export { MESSAGE_SHAPES } from './translate/message-shapes.js';
export { toToolMessages } from './translate/tool-messages.js';
