import type { StoredWorkflow, Tool } from '@errand/contracts';
import { drawGraph, workflowOfNode, writeMermaid, type Drawing } from '@errand/engine';
import { Registry } from '@errand/registry';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { requireAgent } from '../require-agent.js';
import { requireTool } from '../require-tool.js';
import { ProblemError } from './problem-error.js';
import { ToolQuery } from './tool-requests.js';

@Controller('v1/tools/:id/graph')
export class ToolGraphController {
  constructor(private readonly registry: Registry) {}

  /** The nodes and connections of a workflow, as data and as Mermaid text; a node is a graph of one. */
  @Get()
  draw(@Param('id') id: string, @Query() { agent }: ToolQuery) {
    const tool = requireTool(this.registry, id, { agent: requireAgent(this.registry, agent) });
    const drawing = this.drawingOf(tool);
    return { toolId: tool.toolId, version: tool.version, ...drawing, mermaid: writeMermaid(drawing) };
  }

  private drawingOf({ toolId, kind, implementation }: Tool): Drawing {
    const workflow =
      implementation.type === 'workflow'
        ? this.registry.workflows.get(implementation.workflowId)
        : implementation.type === 'node'
          ? this.nodeAlone(implementation.nodeType)
          : undefined;
    if (workflow) return drawGraph(workflow, this.registry);
    throw new ProblemError('conflict', `${toolId} is of the kind '${kind}'; only workflows and nodes have a graph`);
  }

  private nodeAlone(type: string): StoredWorkflow | undefined {
    const nodeType = this.registry.nodeTypes.get(type);
    return nodeType && { nodes: workflowOfNode(nodeType, {}).nodes.slice(0, 1), edges: [] };
  }
}
