import { Heap } from './heap.mjs';

/** Jobs that wait in the order of their arrival. */
export class FirstComeFirstServed {
  #jobs = [];
  #next = 0;

  get size() {
    return this.#jobs.length - this.#next;
  }

  add(job) {
    this.#jobs.push(job);
  }

  take() {
    const job = this.#jobs[this.#next++];
    // The jobs that were taken leave the list from time to time.
    if (this.#next > 10_000 && this.#next * 2 > this.#jobs.length) {
      this.#jobs = this.#jobs.slice(this.#next);
      this.#next = 0;
    }
    return job;
  }
}

/**
 * Jobs that wait in a list for each tenant. The tenants stand in a ring by virtual time, which grows by 1 for each job that starts. A tenant
 * that comes back begins at the time of the ring, so that it has no credit. (Start-time fair queueing, as the queues of Errand admit jobs.)
 */
export class FairBetweenTenants {
  #lists = new Map();
  #ring = new Heap();
  #now = 0;
  size = 0;

  add(job) {
    this.size++;
    const list = this.#lists.get(job.tenant);
    if (list) {
      list.add(job);
      return;
    }
    const first = new FirstComeFirstServed();
    first.add(job);
    this.#lists.set(job.tenant, first);
    this.#ring.push(this.#now, job.tenant);
  }

  take() {
    const [time, tenant] = this.#ring.pop();
    this.#now = time;
    this.size--;
    const list = this.#lists.get(tenant);
    const job = list.take();
    if (list.size > 0) this.#ring.push(time + 1, tenant);
    else this.#lists.delete(tenant);
    return job;
  }
}
