/* Programs in C that use nightfuse.h as a stranger would. Each returns NULL, or what was not as the header says. */
#ifndef CHOST_H
#define CHOST_H

const char *chost_whole_shoot(void);
const char *chost_every_layout(void);
const char *chost_raw_burst(void);
const char *chost_null_pointers(void);
const char *chost_struct_sizes(void);
const char *chost_short_strides(void);
const char *chost_changing_sizes(void);
const char *chost_out_of_order(void);
const char *chost_plan_of_no_previews(void);
const char *chost_numbers_that_are_none(void);
const char *chost_overlapping_planes(void);
const char *chost_unknown_constants(void);
const char *chost_cancel(void);
const char *chost_meter_again(void);
const char *chost_guide(void);

#endif
