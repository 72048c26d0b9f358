package recipes

import (
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/seed-961d0905/ulid"
)

type item struct {
	PK    ulid.ULID `dynamodbav:"pk"`
	User  UserID
	Boss  *ulid.ULID
	Empty *ulid.ULID
}

func TestDynamoDB(t *testing.T) {
	id := ulid.MustParse(text)
	in := item{PK: id, User: UserID{id}, Boss: &id}
	got, err := Marshal(in)
	s := &types.AttributeValueMemberS{Value: text}
	want := map[string]types.AttributeValue{"pk": s, "User": s, "Boss": s, "Empty": &types.AttributeValueMemberNULL{Value: true}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, %v; want %v", got, err, want)
	}
	var back item
	if err := Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, in) {
		t.Errorf("%+v, %v; want %+v", back, err, in)
	}
	// The reader takes the 16 bytes of items from before, too, and refuses what is not an ID.
	back = item{}
	if err := Unmarshal(map[string]types.AttributeValue{"pk": &types.AttributeValueMemberB{Value: id[:]}}, &back); err != nil || back.PK != id {
		t.Errorf("16 bytes are %s, %v", back.PK, err)
	}
	for _, bad := range []types.AttributeValue{
		&types.AttributeValueMemberB{Value: id[:15]}, &types.AttributeValueMemberB{Value: append(id[:], 0)},
		&types.AttributeValueMemberS{Value: text[:25]}, &types.AttributeValueMemberS{Value: text[:25] + "U"},
	} {
		back := item{PK: id}
		if err := Unmarshal(map[string]types.AttributeValue{"pk": bad}, &back); err == nil || back.PK != id {
			t.Errorf("%v is %s, %v", bad, back.PK, err)
		}
	}
}

// What the page says of attributevalue without the options.
func TestDynamoDBDefault(t *testing.T) {
	id := ulid.MustParse(text)
	got, err := attributevalue.Marshal(id)
	if b, ok := got.(*types.AttributeValueMemberB); err != nil || !ok || ulid.ULID(b.Value) != id {
		t.Errorf("a ULID is %#v, %v", got, err)
	}
	got, err = attributevalue.Marshal(UserID{id})
	if _, ok := got.(*types.AttributeValueMemberM); err != nil || !ok {
		t.Errorf("an embedded ULID is %#v, %v", got, err)
	}
}

// The page warns of SQL Server's uniqueidentifier. These are its bytes as UniqueIdentifier.Value of go-mssqldb 1.11.2
// makes them: the first 4, the next 2 and the next 2 are reversed. That module would bring three others.
func TestSQLServerBytes(t *testing.T) {
	stored := []byte("\xf3\x3d\x56\x01\x81\x64\x76\xd6\x4c\x61\xef\xb9\x93\x02\xbd\x5b") // of the ID in text
	var id ulid.ULID
	if err := id.Scan(stored); err != nil || id.String() == text {
		t.Errorf("%s, %v; want another ID and no error, as docs/other-databases.md says", id, err)
	}
}
