#ifndef _FSOFT_FEATURES_H
#define _FSOFT_FEATURES_H
#endif
