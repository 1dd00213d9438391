package timers

import "reflect"

// size is how many bytes a value of type T takes.
func size[T any]() int64 { return int64(reflect.TypeFor[T]().Size()) }
