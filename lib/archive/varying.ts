import { z } from 'zod';
import { count } from '../support/count';

export const varyingSchema = z.looseObject({
  region: z.string().optional(),
  variable: z.string().optional(),
  offset: count,
  dtype: z.string(),
  count,
  min: z.array(z.unknown()),
  max: z.array(z.unknown()),
  low: z.array(z.unknown()).optional().describe('What passes: from here …'),
  high: z.array(z.unknown()).optional().describe('… up to here. Without both: min and max, widened by their distance.'),
  permuted: z.boolean().optional().describe('The same values in any order; min and max are empty.'),
  order_dependent: z
    .boolean()
    .optional()
    .describe(
      'Places and links of a structure whose shape follows the order of waves: not judged; min and max are empty.',
    ),
  records: z
    .array(
      z.looseObject({
        bytes: count.describe('Of one record.'),
        offset: count,
        count,
        order: count.describe('Entries of several ranges with the same number are parts of the same records.'),
        certain: z
          .boolean()
          .describe('Whether what does not hold these records is wrong; else it cannot be known whether it is.'),
        before: count
          .optional()
          .describe('Records in front that every replay had in the same places and that may belong to them.'),
        behind: count.optional(),
        spans: z
          .array(count)
          .optional()
          .describe(
            'Begin and end of each row, cell or bucket, in records: the order is free within each only. Told once for those of one `order`.',
          ),
      }),
    )
    .optional()
    .describe(
      'Of permuted values: in which whole records every replay held them. Empty where there was too much to tell; older versions did not tell.',
    ),
  indexes: z
    .looseObject({
      region: z.string().optional(),
      variable: z.string().optional(),
      offset: count,
      bytes: count,
      count,
      index_offset: count,
      index_bytes: count,
      index_count: count,
    })
    .optional()
    .describe(
      'Of permuted values that are numbers of records in free order: which record each names is the same every time.',
    ),
});
