import type { INamespace } from 'protobufjs';

/** Messages of Perfetto's protos (protos/perfetto/trace) that are written here, with their field numbers. */
const field = (type: string, id: number, rule?: 'repeated'): { type: string; id: number; rule?: string } => ({
  type,
  id,
  ...(rule ? { rule } : {}),
});

export const traceProto: INamespace = {
  nested: {
    Trace: { fields: { packet: field('TracePacket', 1, 'repeated') } },
    TracePacket: {
      fields: {
        timestamp: field('uint64', 8),
        trustedPacketSequenceId: field('uint32', 10),
        trackEvent: field('TrackEvent', 11),
        internedData: field('InternedData', 12),
        sequenceFlags: field('uint32', 13),
        trackDescriptor: field('TrackDescriptor', 60),
      },
    },
    TrackDescriptor: {
      fields: {
        uuid: field('uint64', 1),
        name: field('string', 2),
        process: field('ProcessDescriptor', 3),
        thread: field('ThreadDescriptor', 4),
        parentUuid: field('uint64', 5),
        counter: field('CounterDescriptor', 8),
        childOrdering: field('uint32', 11),
        siblingOrderRank: field('int32', 12),
      },
    },
    ProcessDescriptor: { fields: { pid: field('int32', 1), processName: field('string', 6) } },
    ThreadDescriptor: { fields: { pid: field('int32', 1), tid: field('int32', 2), threadName: field('string', 5) } },
    CounterDescriptor: { fields: { unitName: field('string', 6) } },
    TrackEvent: {
      fields: {
        categories: field('string', 22, 'repeated'),
        nameIid: field('uint64', 10),
        type: field('uint32', 9),
        trackUuid: field('uint64', 11),
        counterValue: field('int64', 30),
        debugAnnotations: field('DebugAnnotation', 4, 'repeated'),
        flowIds: field('fixed64', 47, 'repeated'),
        terminatingFlowIds: field('fixed64', 48, 'repeated'),
      },
    },
    DebugAnnotation: {
      fields: {
        name: field('string', 10),
        nameIid: field('uint64', 1),
        uintValue: field('uint64', 3),
        intValue: field('int64', 4),
        stringValue: field('string', 6),
        pointerValue: field('uint64', 7),
      },
    },
    InternedData: {
      fields: {
        eventNames: field('EventName', 2, 'repeated'),
        debugAnnotationNames: field('EventName', 3, 'repeated'),
      },
    },
    EventName: { fields: { iid: field('uint64', 1), name: field('string', 2) } },
  },
};
