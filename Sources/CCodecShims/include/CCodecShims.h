#ifndef CCODECSHIMS_H
#define CCODECSHIMS_H
#endif
