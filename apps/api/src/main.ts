import { newInvocationId } from '@errand/contracts';
console.log(newInvocationId());
